import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { Tensor } from "onnxruntime-common";

/** A loaded model. */
export interface Session {
  /** The states of a text's tokens, [tokens, dimension]. */
  statesOf(ids: readonly number[]): Float32Array;
  dispose(): void;
}

/** What this file uses of the library's face; `dist/binding.d.ts` of its package has all of it. */
interface Binding {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, mainThread: boolean): void;
  InferenceSession: new () => {
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

/**
 * Loads a BERT-like model into the ONNX runtime.
 * @param runtimeFolder  what `ensureRuntime` found
 * @throws Error when the machine cannot load the libraries, such as one without glibc
 */
export function openSession(runtimeFolder: string, modelPath: string): Session {
  const binding: Binding = createRequire(import.meta.url)(join(runtimeFolder, "onnxruntime_binding.node"));
  binding.initOrtOnce(LOG_ERRORS, Tensor, isMainThread);
  const session = new binding.InferenceSession();
  session.loadModel(modelPath, OPTIONS);
  return {
    statesOf(ids) {
      const row = (numberOf: (id: number) => number) =>
        new Tensor(
          "int64",
          BigInt64Array.from(ids, (id) => BigInt(numberOf(id))),
          [1, ids.length],
        );
      const feeds = {
        input_ids: row((id) => id),
        attention_mask: row(() => 1),
        token_type_ids: row(() => 0),
      };
      const states = session.run(feeds, { last_hidden_state: null }, {})["last_hidden_state"];
      if (states === undefined) throw new Error("the model answers no states");
      return states.data as Float32Array;
    },
    dispose: () => session.dispose(),
  };
}
