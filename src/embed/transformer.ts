import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { type Embedder, EmbedderUnavailable } from "../ports/embedder.ts";
import type { ProgressFactory } from "./download.ts";
import { ensureFiles } from "./files.ts";
import type { EmbeddingModel } from "./models.ts";
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
  /** Milliseconds until an absent model is looked for again; the pause grows. */
  againMs?: number;
}

/** About 1.5 kB each. */
const REMEMBERED_QUERIES = 1000;

/**
 * The local model in a worker thread. Returns at once, in state `loading`, then finds or downloads the files and loads
 * them in the background. Without a model the state is `absent`, with a warning, until a later try succeeds; with
 * `required` the caller then ends the program. A worker that breaks is started once more.
 */
export function openEmbedder(options: EmbedderOptions): Embedder {
  const { mode, model, modelDir, cacheDir, log, progress, offline, againMs } = options;
  const { dimension, minCosine, matchCosine } = model;
  const named = { modelId: modelIdOf(model), dimension, minCosine, matchCosine };
  if (mode === "off") return { ...named, ...switchedOff };

  const find = async (signal: AbortSignal) => {
    const fetch = { modelDir, cacheDir, signal, progress, offline };
    const [folder, runtimeFolder] = await Promise.all([
      ensureFiles({ ...fetch, set: model }),
      ensureRuntime(fetch),
    ]);
    return { modelFolder: join(folder, model.folder), runtimeFolder };
  };
  const thread = new ModelThread(model, find, log, againMs);
  const remembered = new LRUCache<string, Float32Array>({ max: REMEMBERED_QUERIES });

  return {
    ...named,
    state: () => thread.state,
    settled: () => thread.settled(),
    async embed(texts, purpose) {
      if (thread.state !== "ready") throw new EmbedderUnavailable(`the model is ${thread.state}`);
      if (purpose === "post") return thread.embed(texts, purpose);

      const unknown = [...new Set(texts)].filter((text) => !remembered.has(text));
      // Looked up before the wait: meanwhile other queries may push them out.
      const known = new Map(texts.map((text) => [text, remembered.get(text)]));
      const fresh = await thread.embed(
        unknown.map((text) => model.queryPrefix + text),
        purpose,
      );
      for (const [i, text] of unknown.entries()) {
        known.set(text, fresh[i]);
        remembered.set(text, fresh[i]);
      }
      // Copies, so that no caller changes what the next one gets.
      return texts.map((text) => new Float32Array(known.get(text) ?? []));
    },
    knowsWord: (word) => thread.state === "ready" && thread.words.has(word),
    close: () => thread.close(),
  };
}

/** Differs wherever vectors differ. */
function modelIdOf(model: EmbeddingModel): string {
  return `${model.folder}/q8/${model.pooling}/${model.maxTokens}`;
}

const switchedOff: Pick<Embedder, "state" | "settled" | "embed" | "knowsWord" | "close"> = {
  state: () => "off",
  settled: async () => "off",
  embed: async () => {
    throw new EmbedderUnavailable("meaning is switched off");
  },
  knowsWord: () => false,
  close: async () => {},
};
