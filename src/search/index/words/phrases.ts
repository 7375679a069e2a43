import type { DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { indexable } from "../../text/tokens.ts";
import type { PostMemory } from "../memory/index.ts";

/** BM25 gives title, body, and tags with place these weights. */
const WEIGHTS = { title: 2, body: 1, more: 1.5 } as const;

type Found = [row: number, value: number];

/** Finds phrases with the full-text index of one connection: words next to each other, which lists of rows cannot tell. */
export class Phrases {
  readonly #statement;

  constructor(database: DatabaseSyncInstance) {
    const weights = `${WEIGHTS.title}, ${WEIGHTS.body}, ${WEIGHTS.more}`;
    this.#statement = database.prepare(
      `SELECT rowid, -bm25(index_words, ${weights}) FROM index_words WHERE index_words MATCH ?`,
    );
    this.#statement.setReturnArrays(true);
  }

  /** Finds rows with all of the phrases, with the BM25 of these. */
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

  /** Finds rows with any of the phrases. */
  found(memory: PostMemory, phrases: readonly string[]): number[] {
    return phrases.flatMap((phrase) => this.#scored(memory, phrase).map(([row]) => row));
  }

  #scored({ rows }: PostMemory, phrase: string): Found[] {
    const listed = this.#statement.all(quoted(phrase)) as unknown as [seq: number, score: number][];
    return listed.map(([seq, score]): Found => [rows.rowOfSeq(seq), score]).filter(([row]) => row >= 0);
  }
}

/** Quotes a phrase for FTS5. Only a quote could end a phrase, and words hold none. */
const quoted = (phrase: string) => `"${indexable(phrase).replaceAll('"', " ")}"`;
