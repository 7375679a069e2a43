import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { Tensor } from "onnxruntime-common";

/** A loaded model. */
export interface Session {
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
export function openSession(runtimeFolder: string, modelPath: string): Session {
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
