import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { Tensor } from "onnxruntime-common";
import type { PostParts } from "../schema/text.ts";
import { textForModel } from "../search/model-text.ts";
import { stepBack } from "../start-worker.ts";
import { type EmbeddingModel, paddedDimension } from "./models.ts";
import { openTokenizer } from "./tokenizer.ts";

/** What a worker starts with. */
export interface WorkerStart
  extends Pick<
    EmbeddingModel,
    "pooling" | "dimension" | "maxTokens" | "english" | "queryPrefix" | "postPrefix"
  > {
  /** The model's own folder, and the weights in it. */
  modelFolder: string;
  weights: string;
  /** The folder of the runtime's libraries. */
  runtimeFolder: string;
  /** See `openTokenizer`. */
  closes: boolean;
}

/** What it is sent: a text to embed, or the request to end. */
export type WorkerOrder = { purpose: "query" | "post"; text: string | PostParts } | "end";

/** What it answers: ready, with the words of its vocabulary, or failed at the start; then to each text in turn. */
export type WorkerNews =
  | { kind: "ready"; words: string[] }
  | { kind: "failed"; message: string }
  | { kind: "vector"; vector: Float32Array }
  | { kind: "refused"; message: string };

async function serve(port: NonNullable<typeof parentPort>, start: WorkerStart): Promise<void> {
  stepBack("model");
  const say = (news: WorkerNews, transfer: ArrayBuffer[] = []) => port.postMessage(news, transfer);
  try {
    const { embed, words, dispose } = await load(start);
    embed("warm up");
    port.on("message", (order: WorkerOrder) => (order === "end" ? end() : answer(order)));
    const end = () => {
      dispose();
      port.close();
    };
    const prefixes = { query: start.queryPrefix, post: start.postPrefix };
    const answer = ({ purpose, text }: Exclude<WorkerOrder, "end">) => {
      try {
        const vector = embed(prefixes[purpose] + textForModel(text, start));
        say({ kind: "vector", vector }, [vector.buffer as ArrayBuffer]);
      } catch (error) {
        say({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
      }
    };
    say({ kind: "ready", words });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

async function load(start: WorkerStart) {
  const { modelFolder, maxTokens, dimension, pooling } = start;
  const { idsOf, words } = await openTokenizer(modelFolder, maxTokens, start.closes);
  const session = openSession(start.runtimeFolder, join(modelFolder, start.weights));

  /**
   * One run of the model for each text. Texts in one run share the scale of their quantised activations: a vector would
   * depend on its neighbours (cosines down to 0.987 between a text alone and in company). On one core a shared run is no
   * faster.
   */
  function embed(text: string): Float32Array {
    const states = session.statesOf(idsOf(text));
    if (states.dimension !== dimension) {
      throw new Error(`the model answers vectors of ${states.dimension} dimensions, not of ${dimension}`);
    }
    return pooled(states.data, dimension, pooling);
  }
  return { embed, words, dispose: () => session.dispose() };
}

/**
 * A unit vector made of token states: their mean, the first, or the last one.
 * @param data  [tokens, dimension]
 * @returns with zeros up to the next multiple of 16 dimensions, as the index wants it; they change no cosine
 */
function pooled(data: Float32Array, dimension: number, pooling: EmbeddingModel["pooling"]): Float32Array {
  const vector = new Float32Array(paddedDimension(dimension));
  const from = pooling === "last" ? data.length - dimension : 0;
  const to = pooling === "cls" ? dimension : data.length;
  for (let at = from; at < to; at += dimension) {
    for (let d = 0; d < dimension; d += 1) vector[d] = (vector[d] ?? 0) + (data[at + d] ?? 0);
  }
  let squares = 0;
  for (const x of vector) squares += x * x;
  const scale = 1 / Math.sqrt(squares || 1);
  for (let d = 0; d < dimension; d += 1) vector[d] = (vector[d] ?? 0) * scale;
  return vector;
}

/** A loaded model. */
interface Session {
  /** The states of a text's tokens, [tokens, dimension]; one row where the model pools them itself. */
  statesOf(ids: readonly number[]): { data: Float32Array; dimension: number };
  dispose(): void;
}

/** What this file uses of the library's face; `dist/binding.d.ts` of its package has all of it. */
interface Binding {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, mainThread: boolean): void;
  InferenceSession: new () => {
    readonly inputMetadata: readonly { name: string }[];
    readonly outputMetadata: readonly { name: string }[];
    loadModel(path: string, options: object): void;
    run(
      feeds: Record<string, Tensor>,
      fetches: Record<string, null>,
      options: object,
    ): Record<string, Tensor>;
    dispose(): void;
  };
}

const LOG_ERRORS = 3;
/** One core per board: more threads gain little on short texts, and take cores from requests. */
const OPTIONS = { executionProviders: ["cpu"], intraOpNumThreads: 1, interOpNumThreads: 1 };

/** What a model may ask of a text, by the names that exporters use. */
const INPUTS: Readonly<Record<string, (id: number, position: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: () => 0,
  position_ids: (_id, position) => position,
};
/** Outputs, the wanted first: states of tokens, then one vector that the model pooled itself. */
const OUTPUTS = ["last_hidden_state", "token_embeddings", "sentence_embedding"];

/**
 * Loads an encoder of texts into the ONNX runtime.
 * @param runtimeFolder  what `ensureRuntime` found
 * @throws Error when the machine cannot load the libraries, such as one without glibc, or the model is no encoder of texts
 */
function openSession(runtimeFolder: string, modelPath: string): Session {
  const binding: Binding = createRequire(import.meta.url)(join(runtimeFolder, "onnxruntime_binding.node"));
  binding.initOrtOnce(LOG_ERRORS, Tensor, isMainThread);
  const session = new binding.InferenceSession();
  session.loadModel(modelPath, OPTIONS);
  const inputs = session.inputMetadata.map(({ name }) => name);
  const foreign = inputs.find((name) => INPUTS[name] === undefined);
  if (foreign !== undefined) throw new Error(`the model asks for ${foreign}, which texts do not have`);
  const outputs = session.outputMetadata.map(({ name }) => name);
  const output = OUTPUTS.find((name) => outputs.includes(name));
  if (output === undefined) throw new Error(`the model answers ${outputs.join(", ")}, and no states`);
  return {
    statesOf(ids) {
      const feeds = Object.fromEntries(
        inputs.map((name) => {
          const numbers = BigInt64Array.from(ids, (id, at) => BigInt(INPUTS[name]?.(id, at) ?? 0));
          return [name, new Tensor("int64", numbers, [1, ids.length])];
        }),
      );
      const states = session.run(feeds, { [output]: null }, {})[output];
      const dimension = states?.dims.at(-1);
      if (states === undefined || dimension === undefined) throw new Error("the model answers no states");
      return { data: states.data as Float32Array, dimension };
    },
    dispose: () => session.dispose(),
  };
}

if (parentPort !== null) await serve(parentPort, workerData as WorkerStart);
