import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { Tensor } from "onnxruntime-common";
import { stepBack } from "../platform/start-worker.ts";
import type { PostParts } from "../schema/text.ts";
import { textForModel } from "../search/text/model-text.ts";
import { type EmbeddingModel, paddedDimension } from "./models.ts";
import { openTokenizer } from "./tokenizer.ts";

export interface WorkerStart
  extends Pick<
    EmbeddingModel,
    "pooling" | "dimension" | "maxTokens" | "english" | "queryPrefix" | "postPrefix"
  > {
  /** Holds the model itself; the weights lie at `weights` below it. */
  modelFolder: string;
  weights: string;
  /** Holds the runtime's libraries. */
  runtimeFolder: string;
  /** See `openTokenizer`. */
  closes: boolean;
}

/** Asks to embed a text, or to end. */
export type WorkerRequest = { purpose: "query" | "post"; text: string | PostParts } | "end";

/**
 * At the start it says that it is ready, with the words of the model's vocabulary, or that it failed. Then it answers each
 * text, in their order.
 */
export type WorkerAnswer =
  | { kind: "ready"; words: string[] }
  | { kind: "failed"; message: string }
  | { kind: "vector"; vector: Float32Array }
  | { kind: "refused"; message: string };

async function serve(port: NonNullable<typeof parentPort>, start: WorkerStart): Promise<void> {
  stepBack("model");
  const say = (answer: WorkerAnswer, transfer: ArrayBuffer[] = []) => port.postMessage(answer, transfer);
  const { modelFolder, maxTokens, dimension, pooling } = start;
  const prefixes = { query: start.queryPrefix, post: start.postPrefix };
  try {
    const { idsOf, words } = await openTokenizer(modelFolder, maxTokens, start.closes);
    const session = openSession(start.runtimeFolder, join(modelFolder, start.weights));
    // The model runs once for each text. Texts in one run share the scale of their quantised activations: a vector would
    // depend on its neighbours (cosines down to 0.987 between a text alone and in company). On one core a shared run is no
    // faster.
    const vectorOf = (text: string) => pooled(session.statesOf(idsOf(text), dimension), dimension, pooling);
    vectorOf("warm up");
    port.on("message", (request: WorkerRequest) => {
      if (request === "end") {
        session.dispose();
        port.close();
        return;
      }
      const { purpose, text } = request;
      try {
        const vector = vectorOf(prefixes[purpose] + textForModel(text, start));
        say({ kind: "vector", vector }, [vector.buffer as ArrayBuffer]);
      } catch (error) {
        say({ kind: "refused", message: messageOf(error) });
      }
    });
    say({ kind: "ready", words });
  } catch (error) {
    say({ kind: "failed", message: messageOf(error) });
    port.close();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Makes a unit vector of token states: their mean, the first, or the last one. */
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

/** This part of the library's interface is used here; `dist/binding.d.ts` of its package has all of it. */
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

/** A model may have these inputs, by the names that exporters use. */
const INPUTS: Readonly<Record<string, (id: number, position: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: () => 0,
  position_ids: (_id, position) => position,
};
/** These outputs can be used, the best first: states of tokens, then one vector that the model pooled itself. */
const OUTPUTS = ["last_hidden_state", "token_embeddings", "sentence_embedding"];

/**
 * Loads an encoder of texts into the ONNX runtime.
 * @param runtimeFolder  what `ensureRuntime` found
 * @throws Error when the machine cannot load the libraries, such as one without glibc, or the model is no encoder of texts
 */
function openSession(runtimeFolder: string, modelPath: string) {
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
    /** Gives the states of a text's tokens, [tokens, dimension]; one row where the model pools them itself. */
    statesOf(ids: readonly number[], dimension: number): Float32Array {
      const feeds = Object.fromEntries(
        inputs.map((name) => {
          const numbers = BigInt64Array.from(ids, (id, at) => BigInt(INPUTS[name]?.(id, at) ?? 0));
          return [name, new Tensor("int64", numbers, [1, ids.length])];
        }),
      );
      const states = session.run(feeds, { [output]: null }, {})[output];
      const found = states?.dims.at(-1);
      if (states === undefined || found !== dimension)
        throw new Error(`the model answers vectors of ${found} dimensions, not of ${dimension}`);
      return states.data as Float32Array;
    },
    dispose: () => session.dispose(),
  };
}

if (parentPort !== null) await serve(parentPort, workerData as WorkerStart);
