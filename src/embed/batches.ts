import type { PostParts } from "../schema/text.ts";

/** What waits for its vector. */
export interface Waiting {
  text: string | PostParts;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Texts in one batch: enough to make the trip to the thread and back negligible beside the model. */
const MAX_TEXTS = 16;
/** Tokens in one batch: some 40 ms of work, the longest wait of a query. */
const MAX_TOKENS = 640;
/** Characters of one token: English has some 4.5; a low guess keeps batches within their bound in most scripts. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * Takes the next batch off the front of a queue, at least one text if there is any.
 * @param maxTokens  where the model cuts a text
 */
export function takeBatch(queue: Waiting[], maxTokens: number): Waiting[] {
  let texts = 0;
  let tokens = 0;
  for (const { text } of queue) {
    tokens += Math.min(maxTokens, Math.ceil(charactersOf(text) / CHARACTERS_PER_TOKEN) + 2);
    if (texts === MAX_TEXTS || (texts > 0 && tokens > MAX_TOKENS)) break;
    texts += 1;
  }
  return queue.splice(0, texts);
}

const charactersOf = (text: Waiting["text"]): number =>
  typeof text === "string" ? text.length : text.title.length + text.body.length;
