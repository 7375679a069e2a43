import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { indexable } from "../../search/tokens.ts";

/** BM25 weights of title, body, and tags with place. */
const WEIGHTS = "2.0, 1.0, 1.5";

/** Finds phrases with the full-text index of one connection: words next to each other, which lists of rows cannot tell. */
export class Phrases {
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    this.#statements = {
      scored: database.prepare(
        `SELECT rowid, -bm25(index_words, ${WEIGHTS}) FROM index_words WHERE index_words MATCH ?`,
      ),
      found: database.prepare("SELECT rowid FROM index_words WHERE index_words MATCH ?"),
    };
    for (const statement of Object.values(this.#statements)) statement.setReturnArrays(true);
  }

  /** Posts with all of the phrases, by `seq`, with the BM25 of these. */
  scores(phrases: readonly string[]): [seq: number, score: number][] {
    return this.#statements.scored.all(expression(phrases, "AND")) as unknown as [number, number][];
  }

  /** Posts with any of the phrases, by `seq`. */
  found(phrases: readonly string[]): number[] {
    return (this.#statements.found.all(expression(phrases, "OR")) as unknown as [number][]).map(
      ([seq]) => seq,
    );
  }
}

/** For FTS5. Only a quote could end a phrase, and words hold none. */
function expression(phrases: readonly string[], operator: "AND" | "OR"): string {
  const quoted = phrases.map((phrase) => `"${indexable(phrase).replaceAll('"', " ")}"`);
  return quoted.join(` ${operator} `);
}
