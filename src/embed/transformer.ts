import { LRUCache } from "lru-cache";
import { type Embedder, EmbedderUnavailable } from "../ports/embedder.ts";
import type { ProgressFactory } from "./download.ts";
import type { EmbeddingModel } from "./models.ts";
import { type ModelLog, ModelThread } from "./thread.ts";
import { ensureModel } from "./weights.ts";

export interface EmbedderOptions {
  /** `auto` and `required` load the model, and download it when it is missing; `off` does nothing. */
  mode: "auto" | "required" | "off";
  model: EmbeddingModel;
  modelDir: string;
  cacheDir: string;
  log: ModelLog;
  progress?: ProgressFactory;
  /** True: nothing is downloaded. */
  offline?: boolean;
  /** A model that could not be had is looked for again after this many milliseconds, and more later. */
  againMs?: number;
}

/** About 1.5 kB each. */
const REMEMBERED_QUERIES = 1000;

/**
 * The local model in a worker thread. Returns at once, in state `loading`, and looks for the files, downloads and loads
 * in the background. A model that cannot be had leaves the state `absent` with a warning, until a later try succeeds; with
 * `required` it is the caller who ends the program then. A worker that breaks is started once more.
 */
export function openEmbedder(options: EmbedderOptions): Embedder {
  const { mode, model, modelDir, cacheDir, log, progress, offline, againMs } = options;
  const { dimension, minCosine, matchCosine } = model;
  const named = { modelId: modelIdOf(model), dimension, minCosine, matchCosine };
  if (mode === "off") return { ...named, ...switchedOff };

  const thread = new ModelThread(
    model,
    (signal) =>
      ensureModel({
        model,
        modelDir,
        cacheDir,
        signal,
        ...(progress === undefined ? {} : { progress }),
        ...(offline === undefined ? {} : { offline }),
      }),
    log,
    againMs,
  );
  const remembered = new LRUCache<string, Float32Array>({ max: REMEMBERED_QUERIES });

  return {
    ...named,
    state: () => thread.state,
    settled: () => thread.settled(),
    async embed(texts, purpose) {
      if (thread.state !== "ready") throw new EmbedderUnavailable(`the model is ${thread.state}`);
      if (purpose === "post") return thread.embed(texts, purpose);

      const unknown = [...new Set(texts)].filter((text) => !remembered.has(text));
      // Looked up before the wait, during which other queries may push them out.
      const known = new Map(texts.map((text) => [text, remembered.get(text)]));
      const fresh = await thread.embed(
        unknown.map((text) => model.queryPrefix + text),
        purpose,
      );
      for (const [i, text] of unknown.entries()) {
        known.set(text, fresh[i]);
        remembered.set(text, fresh[i]);
      }
      // Copies, so that no caller can change what the next one is given.
      return texts.map((text) => new Float32Array(known.get(text) ?? []));
    },
    close: () => thread.close(),
  };
}

/** Changes with everything that changes vectors. */
function modelIdOf(model: EmbeddingModel): string {
  return `${model.repository}/q8/${model.pooling}/${model.maxTokens}`;
}

const switchedOff: Pick<Embedder, "state" | "settled" | "embed" | "close"> = {
  state: () => "off",
  settled: async () => "off",
  embed: async () => {
    throw new EmbedderUnavailable("meaning is switched off");
  },
  close: async () => {},
};
