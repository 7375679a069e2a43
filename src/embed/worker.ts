import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { PostParts } from "../schema/text.ts";
import { textForModel } from "../search/model-text.ts";
import { stepBack } from "../start-worker.ts";
import { type EmbeddingModel, paddedDimension } from "./models.ts";
import { openSession } from "./session.ts";
import { openTokenizer } from "./tokenizer.ts";
import { wholeWords } from "./vocabulary.ts";

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

if (parentPort !== null) await serve(parentPort, workerData as WorkerStart);

async function serve(port: NonNullable<typeof parentPort>, start: WorkerStart): Promise<void> {
  stepBack("model");
  const say = (news: WorkerNews, transfer: ArrayBuffer[] = []) => port.postMessage(news, transfer);
  try {
    const { embed, dispose } = await load(start);
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
    const tokenizer = join(start.modelFolder, "tokenizer.json");
    say({ kind: "ready", words: wholeWords(await readFile(tokenizer, "utf8")) });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

async function load(start: WorkerStart) {
  const { modelFolder, maxTokens, dimension, pooling } = start;
  const tokensOf = await openTokenizer(modelFolder, maxTokens, start.closes);
  const session = openSession(start.runtimeFolder, join(modelFolder, start.weights));

  /**
   * One run of the model for each text. Texts in one run share the scale of their quantised activations: a vector would
   * depend on its neighbours (cosines down to 0.987 between a text alone and in company). On one core a shared run is no
   * faster.
   */
  function embed(text: string): Float32Array {
    const states = session.statesOf(tokensOf(text));
    if (states.dimension !== dimension) {
      throw new Error(`the model answers vectors of ${states.dimension} dimensions, not of ${dimension}`);
    }
    return pooled(states.data, dimension, pooling);
  }
  return { embed, dispose: () => session.dispose() };
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
