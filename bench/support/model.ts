import { homedir } from "node:os";
import { join } from "node:path";
import { chooseModel } from "../../src/embed/chosen/index.ts";
import { MODELS } from "../../src/embed/models.ts";
import { modelIdOf, openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { VectorMaker } from "../../src/ports/store/index.ts";
import type { PostParts } from "../../src/schema/text.ts";
import { preparationFor } from "../../src/search/text/model-text.ts";

const CACHE = join(homedir(), ".cache", "agent-board", "models");
/** The files of models are there, or will be. */
export const MODEL_FILES = process.env["MODEL_DIR"] ?? CACHE;
const BATCH = 64;
/** As a board with the default model names its vectors: one that finds others embeds all posts anew in the background. */
export const DEFAULT_MAKER: VectorMaker = {
  model: modelIdOf(MODELS[0]),
  preparation: preparationFor(MODELS[0]),
};

/** Opens a model, ready to use, downloaded where it is missing. */
export async function openModel(modelDir = MODEL_FILES, name: string | null = null): Promise<Embedder> {
  const model = await chooseModel(name, { modelDir, cacheDir: CACHE });
  const log = { info() {}, warn: console.error };
  const embedder = openEmbedder({ mode: "required", model, modelDir, cacheDir: CACHE, log });
  if ((await embedder.settled()) !== "ready") throw new Error("The model did not load.");
  return embedder;
}

/** Makes one vector for each of any number of texts. */
export async function embedAll(
  embedder: Embedder,
  texts: readonly (string | PostParts)[],
  purpose: "query" | "post",
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += BATCH) {
    vectors.push(...(await embedder.embed(texts.slice(at, at + BATCH), purpose)));
  }
  return vectors;
}
