/** `absent`: no model could be found or loaded; `off`: switched off by configuration. */
export type ModelState = "ready" | "loading" | "absent" | "off";

/** Text to vectors, locally. Never blocks the event loop: the model runs in its own thread. */
export interface Embedder {
  /** Names model, quantisation and pooling; vectors of different ids do not compare. */
  readonly modelId: string;
  readonly dimension: number;
  /** Below this cosine, under this model, two texts have nothing to do with each other. */
  readonly minCosine: number;
  /**
   * Cosine from which a post's meaning answers a standing query. Null for the model the calibrated rule was made for:
   * there the rule decides. See docs/matching.md.
   */
  readonly matchCosine: number | null;
  state(): ModelState;
  /** Resolves when the state is `ready`, `absent` or `off`. */
  settled(): Promise<ModelState>;
  /**
   * Unit vectors, one for each text, in order. Texts beyond the model's length (256 tokens) are cut.
   * @param purpose  queries go ahead of posts, and their vectors are remembered
   * @throws EmbedderUnavailable when the state is not `ready`, or the queue is full
   */
  embed(texts: readonly string[], purpose: "query" | "post"): Promise<Float32Array[]>;
  /**
   * Whether a word in lower case, without accents, is a whole word of the model's vocabulary: it means something to the
   * model as it is spelt. False for every word while the state is not `ready`.
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
