import type { PostMemory } from "../memory/index.ts";

/** BM25 (Robertson and Walker 1994) as FTS5 computes it: saturation of a word's count, and the share of a text's length. */
const K1 = 1.2;
const B = 0.75;

/** A word in more than half of all posts still counts a little, as it does in FTS5: alike wherever it stands. */
export const SCORE_MIN = 1e-6;

/** Inverse document frequency as FTS5 computes it. */
export function rarity(count: number, posts: number): number {
  return Math.max(SCORE_MIN, Math.log((posts - count + 0.5) / (count + 0.5)));
}

/** A word of a query with a list of rows. */
export interface ListedWord {
  /** Number of the list. */
  name: number;
  /** How rare the word is, times how often it was asked for. */
  factor: number;
  /** True for a word so common that only its presence counts. */
  isFlat: boolean;
  /** Of the query, added to the coverage of each row. */
  share: number;
}

/** Rows that were found without a list, with their scores. */
export interface FoundRows {
  found: readonly (readonly [row: number, score: number])[];
  share: number;
}

/** What the words of a query add up to for each row: BM25, and the share of the query that stands there. */
export class WordSums {
  /** By row. */
  scores = new Float32Array(0);
  coverage = new Float32Array(0);
  #found = new Uint32Array(0);

  /**
   * Replaces all sums.
   * @param among  only these rows are wanted, ascending; null means all
   * @returns rows with a score, ascending; they hold until the next call
   */
  sum(
    { rows, lists }: PostMemory,
    words: readonly (ListedWord | FoundRows)[],
    among: Uint32Array | null,
  ): Uint32Array {
    this.#clear(rows.size);
    const { scores, coverage } = this;
    const lengths = rows.length.view;
    const slope = (K1 * B) / (rows.words / Math.max(1, rows.live));
    const add = (row: number, score: number, share: number) => {
      scores[row] = (scores[row] ?? 0) + score;
      coverage[row] = (coverage[row] ?? 0) + share;
    };
    for (const word of words) {
      const { share } = word;
      if ("found" in word) {
        for (const [row, score] of word.found) add(row, score, share);
      } else if (word.isFlat) lists.each(word.name, (row) => add(row, word.factor, share));
      else {
        const scale = word.factor * (K1 + 1);
        lists.each(word.name, (row, weight) => {
          // A weight is twice the weighted count.
          const times = weight * 0.5;
          const divisor = times + K1 * (1 - B) + slope * (lengths[row] ?? 0);
          scores[row] = (scores[row] ?? 0) + (scale * times) / divisor;
          coverage[row] = (coverage[row] ?? 0) + share;
        });
      }
    }
    if (among !== null) return among.filter((row) => (scores[row] ?? 0) > 0);
    return this.#found.subarray(0, findScores(scores, rows.size, this.#found));
  }

  #clear(size: number): void {
    if (this.scores.length < size) {
      const room = Math.ceil(size * 1.25);
      this.scores = new Float32Array(room);
      this.coverage = new Float32Array(room);
      this.#found = new Uint32Array(room);
    } else {
      this.scores.fill(0, 0, size);
      this.coverage.fill(0, 0, size);
    }
  }
}

/** Writes the rows with a score to `out`, ascending. @returns how many they are */
function findScores(scores: Float32Array, size: number, out: Uint32Array): number {
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    if ((scores[row] ?? 0) === 0) continue;
    out[count] = row;
    count += 1;
  }
  return count;
}
