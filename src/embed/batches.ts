/** A text that waits for its vector. */
export interface Waiting {
  text: string;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Texts in one batch, at most: enough that handing it to the thread and back costs nothing beside the model. */
const MAX_TEXTS = 16;
/** Tokens in one batch, at most: some 40 ms of work, which is how long a query may have to wait. */
const MAX_TOKENS = 640;
/** Characters of one token: English has some 4.5; guessing low keeps batches within their bound in most scripts. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * Takes the next batch off the front of a queue; always at least one text, when there is one.
 * @param maxTokens  the model cuts texts there
 */
export function takeBatch(queue: Waiting[], maxTokens: number): Waiting[] {
  let texts = 0;
  let tokens = 0;
  for (const { text } of queue) {
    tokens += Math.min(maxTokens, Math.ceil(text.length / CHARACTERS_PER_TOKEN) + 2);
    if (texts === MAX_TEXTS || (texts > 0 && tokens > MAX_TOKENS)) break;
    texts += 1;
  }
  return queue.splice(0, texts);
}
