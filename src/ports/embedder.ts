import type { PostParts } from "../schema/text.ts";

/** A model is `absent` when none could be found or loaded, `off` when switched off by configuration. */
export type ModelState = "ready" | "loading" | "absent" | "off";

/** Cosines are read by these, since each model has a range of its own. */
export interface CosineScale {
  /** Below this cosine two texts have nothing to do with each other. */
  minCosine: number;
  /** This far apart are the cosines of unrelated and of related texts: a doubtful question asks for this much more, or less. */
  margin: number;
  /** Cosines of unrelated texts, such as a title and another post, lie so: half below `median`, nine in ten below `high`. */
  unrelated: { median: number; high: number };
}

/** The rule of docs/matching.md was made for this scale: that of all-MiniLM-L6-v2 q8 on notices. */
export const REFERENCE_SCALE: CosineScale = {
  minCosine: 0.25,
  margin: 0.1,
  unrelated: { median: 0.1, high: 0.23 },
};

/** Turns text to vectors, locally. Never blocks the event loop: the model runs in its own thread. */
export interface Embedder {
  /** Names model, quantisation and pooling; vectors of different ids do not compare. */
  readonly modelId: string;
  readonly dimension: number;
  readonly scale: CosineScale;
  /** True when it reads English only: texts in other languages are then given to it with their words in English. */
  readonly english: boolean;
  state(): ModelState;
  /** Resolves when the state is `ready`, `absent` or `off`. */
  settled(): Promise<ModelState>;
  /**
   * Gives unit vectors, one for each text or post, in order. Texts beyond the model's length (256 tokens) are cut. The
   * model's thread also makes the text of a post, whose cost grows with its words (`src/search/text/model-text.ts`).
   * @param purpose  queries go ahead of posts, and their vectors are remembered
   * @throws EmbedderUnavailable when the state is not `ready`, or the queue is full
   */
  embed(texts: readonly (string | PostParts)[], purpose: "query" | "post"): Promise<Float32Array[]>;
  /**
   * Tells whether a word in lower case, without accents, is a whole word of the model's vocabulary: it means something to
   * the model as it is spelt. False for every word while the state is not `ready`.
   */
  knowsWord(word: string): boolean;
  close(): Promise<void>;
}

/** The embedder cannot answer now; callers go on without meaning. */
export class EmbedderUnavailable extends Error {
  constructor(reason: string) {
    super(`No vectors: ${reason}.`);
    this.name = "EmbedderUnavailable";
  }
}
