/** The posts of a board as a saved query sees them, counted when it is saved and now and then. */
export interface PostBackground {
  /** Active posts of the board. */
  posts: number;
  /** Those that pass the query's filters. */
  passing: number;
  /** How many of these the query's vector was compared with. */
  compared: number;
  /** Their mean cosine with the query, 0 when none was compared. */
  meanCosine: number;
}

/** Posts that an owner may have judged for one saved query; the oldest words are forgotten first. */
export const JUDGED_MAX = 50;

/** What a saved query learnt from its owner's words on posts. It holds no text of a post. */
export interface Learning {
  /** The posts that were judged, oldest first: true for relevant. */
  judged: readonly { id: string; relevant: boolean }[];
  /** Adds to the evidence for a post, in logits: its cosine with `vector` times `weight`. Null when no post had a vector. */
  direction: { vector: string; weight: number } | null;
  /** Adds to the evidence for every post, in logits. */
  cut: number;
  /** Adds to the evidence when the stem with this hash occurs, in logits. */
  words: Readonly<Record<string, number>>;
}
