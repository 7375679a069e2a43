import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { LRUCache } from "lru-cache";
import { type Embedder, EmbedderUnavailable, REFERENCE_SCALE } from "../ports/embedder.ts";
import type { PostParts } from "../schema/text.ts";
import { completeModel } from "./chosen/index.ts";
import type { ProgressFactory } from "./download.ts";
import { ensureFiles } from "./files.ts";
import { type EmbeddingModel, MODELS, paddedDimension } from "./models.ts";
import { ensureRuntime } from "./runtime.ts";
import { type ModelLog, ModelThread } from "./thread.ts";

export interface EmbedderOptions {
  /** `auto` and `required` load the model, and download it where it is missing; `off` does nothing. */
  mode: "auto" | "required" | "off";
  model: EmbeddingModel;
  modelDir: string;
  cacheDir: string;
  log: ModelLog;
  progress?: ProgressFactory | undefined;
  /** True: nothing is downloaded. */
  offline?: boolean;
  /** The hub has this base URL; the default is the public one. */
  hub?: string | undefined;
  /** An absent model is looked for again after this many milliseconds; the pause grows. */
  againMs?: number;
}

/** Each takes about 1.5 kB. */
const REMEMBERED_QUERIES = 1000;

/**
 * Runs the local model in a worker thread. Returns at once, in state `loading`, then finds or downloads the files and loads
 * them in the background. Without a model the state is `absent`, with a warning, until a later try succeeds; with
 * `required` the caller then ends the program.
 */
export function openEmbedder(options: EmbedderOptions): Embedder {
  const { mode, model, modelDir, cacheDir, log, progress, offline, hub, againMs } = options;
  const { english, scale } = model;
  const named = {
    modelId: modelIdOf(model),
    dimension: paddedDimension(model.dimension),
    english,
    scale,
  };
  if (mode === "off") return { ...named, ...without("off", "meaning is switched off") };

  const find = async (signal: AbortSignal) => {
    const fetch = { modelDir, cacheDir, signal, progress, offline, hub };
    const [set, runtimeFolder] = await Promise.all([completeModel(model, fetch), ensureRuntime(fetch)]);
    const folder = await ensureFiles({ ...fetch, set });
    return { modelFolder: resolve(folder, set.folder), weights: set.weights ?? "", runtimeFolder };
  };
  const thread = new ModelThread(model, find, log, againMs);
  const remembered = new LRUCache<string, Float32Array>({ max: REMEMBERED_QUERIES });
  const vectorOfQuery = async (query: string | PostParts) => {
    const key = JSON.stringify(query);
    const vector = remembered.get(key) ?? (await thread.embed([query], "query"))[0] ?? new Float32Array();
    remembered.set(key, vector);
    // A copy is given, so that no caller changes what the next one gets.
    return new Float32Array(vector);
  };

  return {
    ...named,
    state: () => thread.state,
    settled: () => thread.settled(),
    async embed(texts, purpose) {
      if (thread.state !== "ready") throw new EmbedderUnavailable(`the model is ${thread.state}`);
      return purpose === "post" ? thread.embed(texts, purpose) : Promise.all(texts.map(vectorOfQuery));
    },
    knowsWord: (word) => thread.state === "ready" && thread.words.has(word),
    close: () => thread.close(),
  };
}

/** The store has this id of a model. It differs wherever a text would get another vector. */
export function modelIdOf(model: EmbeddingModel): string {
  const { id, pooling, maxTokens, chosen, weights, queryPrefix, postPrefix } = model;
  if (chosen === undefined) return `${id}/${pooling}/${maxTokens}`;
  const rest = createHash("sha256")
    .update(JSON.stringify([weights, queryPrefix, postPrefix]))
    .digest("hex");
  return `${id}/${pooling}/${maxTokens}/${rest.slice(0, 8)}`;
}

/** Makes an embedder for a model whose description could not be downloaded, so that not even its dimension is known. */
export function absentEmbedder(name: string, state: "off" | "absent"): Embedder {
  return {
    modelId: `${name}/unreachable`,
    // This one is the most common: a search of the database, which is built for one dimension, is most likely left as it
    // is.
    dimension: MODELS[0].dimension,
    english: true,
    scale: REFERENCE_SCALE,
    ...without(state, `the model is ${state}`),
  };
}

const without = (
  state: "off" | "absent",
  why: string,
): Pick<Embedder, "state" | "settled" | "embed" | "knowsWord" | "close"> => ({
  state: () => state,
  settled: async () => state,
  embed: async () => {
    throw new EmbedderUnavailable(why);
  },
  knowsWord: () => false,
  close: async () => {},
});
