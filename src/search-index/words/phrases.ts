import { indexable } from "../../search/tokens.ts";
import type { DatabaseSyncInstance } from "../../sqlite.ts";
import type { PostMemory } from "../memory/index.ts";
import { bm25, frequencyOf } from "./bm25.ts";
import { frequencyIn, type WaitingPosts } from "./waiting.ts";

/** BM25 weights of title, body, and tags with place. */
const WEIGHTS = { title: 2, body: 1, more: 1.5 } as const;

type Found = [row: number, value: number];

/**
 * Finds phrases with the full-text index of one connection: words next to each other, which lists of rows cannot tell. The
 * posts that wait for that index are looked through here, and all are scored by the same numbers, those of the memory.
 */
export class Phrases {
  readonly #statement;
  readonly #waiting: WaitingPosts;

  constructor(database: DatabaseSyncInstance, waiting: WaitingPosts) {
    const weights = `${WEIGHTS.title}, ${WEIGHTS.body}, ${WEIGHTS.more}`;
    this.#statement = database.prepare(
      `SELECT rowid, -bm25(index_words, ${weights}) FROM index_words WHERE index_words MATCH ?`,
    );
    this.#statement.setReturnArrays(true);
    this.#waiting = waiting;
  }

  /** Rows with all of the phrases, with the BM25 of these. */
  scores(memory: PostMemory, phrases: readonly string[]): Found[] {
    const [first, ...others] = phrases;
    let found = first === undefined ? [] : this.#scored(memory, first);
    for (const phrase of others) {
      // Nothing has them all: the others need not be asked.
      if (found.length === 0) return [];
      const scores = new Map(this.#scored(memory, phrase));
      found = found.flatMap(([row, score]): Found[] => {
        const more = scores.get(row);
        return more === undefined ? [] : [[row, score + more]];
      });
    }
    return found;
  }

  /** Rows with any of the phrases. */
  found(memory: PostMemory, phrases: readonly string[]): number[] {
    return phrases.flatMap((phrase) => this.#scored(memory, phrase).map(([row]) => row));
  }

  #scored(memory: PostMemory, phrase: string): Found[] {
    const { rows } = memory;
    const lengths = rows.length.view;
    // Read before the full-text index: a post that moves into it in between is then met twice, and not missed.
    const waiting = this.#waiting.at(memory.change);
    const stems = this.#waiting.stemsOf(phrase);
    const found: Found[] = [];
    const held = { posts: rows.live, words: rows.words, count: 0 };
    for (const [seq, post] of waiting) {
      const row = rows.rowOfSeq(seq);
      if (row < 0) continue;
      held.posts -= 1;
      held.words -= lengths[row] ?? 0;
      const frequency = frequencyIn(post, stems, WEIGHTS);
      if (frequency > 0) found.push([row, frequency]);
    }
    const listed = this.#statement.all(quoted(phrase)) as unknown as [seq: number, score: number][];
    held.count = listed.length;
    for (const [seq, score] of listed) {
      const row = waiting.has(seq) ? -1 : rows.rowOfSeq(seq);
      // FTS5 tells how often a phrase occurs by its score alone, which knows nothing of the posts that wait.
      if (row >= 0) found.push([row, frequencyOf(score, lengths[row] ?? 0, held)]);
    }
    const all = { posts: rows.live, words: rows.words, count: found.length };
    for (const one of found) one[1] = bm25(one[1], lengths[one[0]] ?? 0, all);
    return found;
  }
}

/** For FTS5. Only a quote could end a phrase, and words hold none. */
const quoted = (phrase: string) => `"${indexable(phrase).replaceAll('"', " ")}"`;
