import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { WordQuery } from "../schema/filter.ts";
import { indexable } from "../search/tokens.ts";

/** BM25 weights of title, body, and tags with place. */
const WEIGHTS = "2.0, 1.0, 1.5";
/** Scores leave SQLite as whole millionths: a string of digits is read three times faster than rows of floats. */
const MICROS = 1_000_000;
/** When filters leave at most this share of the posts, only those are scored. */
const FEW = 1 / 8;

/** The scores of some posts for the words of a query. */
export interface WordScores {
  /** BM25 of each post, 0 where no word occurs. */
  scores: Float64Array;
  /** True when phrases must occur: only posts with a score match. */
  required: boolean;
  /** False when no post has any of the words, whatever the filters. */
  known: boolean;
}

/** Scores posts by words with the full-text index of one connection. */
export class WordIndex {
  readonly #database: DatabaseSyncInstance;
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    const scored = (more: string) =>
      this.#database.prepare(
        // The limit keeps SQLite from flattening the inner query, after which bm25() could not be called.
        `SELECT group_concat(seq) AS seqs, group_concat(micros) AS micros FROM (
           SELECT rowid AS seq, max(1, CAST(-${MICROS} * bm25(index_words, ${WEIGHTS}) AS INTEGER)) AS micros
           FROM index_words WHERE index_words MATCH ? ${more} LIMIT -1)`,
      );
    this.#statements = {
      all: scored(""),
      // The plus makes this a test of rows already found; without it the full-text query would run once for each.
      few: scored("AND +rowid IN (SELECT value FROM json_each(?))"),
      found: this.#database.prepare(
        "SELECT group_concat(rowid) AS seqs FROM index_words WHERE index_words MATCH ?",
      ),
      occurs: this.#database.prepare("SELECT 1 FROM index_words WHERE index_words MATCH ? LIMIT 1"),
    };
  }

  /**
   * Scores posts by the words of a query.
   * @param seqs  of the posts, ascending
   * @param total  number of posts in the index
   * @param weighed  false gives each post found 1, in a tenth of the time
   */
  scores(words: WordQuery, seqs: Float64Array, total: number, weighed: boolean): WordScores {
    const scores = new Float64Array(seqs.length);
    const required = words.phrases.length > 0;
    const any = [...new Set([...words.any, ...words.phrases.flat()])];
    if (any.length === 0 || seqs.length === 0) return { scores, required, known: true };
    const expression = expressionOf(any, words.phrases, words.excluded);
    const { few, all, found } = this.#statements;
    const row = (
      !weighed
        ? found.get(expression)
        : seqs.length <= total * FEW
          ? few.get(expression, JSON.stringify(Array.from(seqs)))
          : all.get(expression)
    ) as { seqs: string | null; micros?: string | null };
    const micros = numbersOf(row.micros ?? null);
    join(seqs, numbersOf(row.seqs), (at, place) => {
      scores[at] = (micros[place] ?? MICROS) / MICROS;
    });
    const known =
      row.seqs !== null || this.#statements.occurs.get(anyOf(any.map((word) => [word]))) !== undefined;
    return { scores, required, known };
  }

  /** Places in `seqs` (ascending) of posts in which one of the excluded words or phrases occurs. */
  excluded(words: WordQuery, seqs: Float64Array): Set<number> {
    const places = new Set<number>();
    if (words.excluded.length === 0) return places;
    const row = this.#statements.found.get(anyOf(words.excluded)) as { seqs: string | null };
    join(seqs, numbersOf(row.seqs), (at) => places.add(at));
    return places;
  }
}

function expressionOf(
  any: readonly string[],
  phrases: WordQuery["phrases"],
  excluded: WordQuery["excluded"],
): string {
  const all = [`(${anyOf(any.map((word) => [word]))})`, ...phrases.map(quoted)].join(" AND ");
  return excluded.length === 0 ? all : `(${all}) NOT (${anyOf(excluded)})`;
}

const anyOf = (phrases: WordQuery["phrases"]) => phrases.map(quoted).join(" OR ");

/** A phrase for FTS5. Only a quote could end it, and words hold none. */
function quoted(phrase: readonly string[]): string {
  return `"${indexable(phrase.join(" ")).replaceAll('"', " ")}"`;
}

/** Numbers of a comma-separated list of digits. */
function numbersOf(list: string | null): number[] {
  return list === null ? [] : (JSON.parse(`[${list}]`) as number[]);
}

/** Calls `meet` for each number that is in both lists, with its place in each. Both are ascending. */
function join(seqs: Float64Array, found: readonly number[], meet: (at: number, place: number) => void): void {
  let at = 0;
  for (let i = 0; i < found.length; i += 1) {
    const seq = found[i] ?? 0;
    while (at < seqs.length && (seqs[at] ?? 0) < seq) at += 1;
    if (seqs[at] === seq) meet(at, i);
  }
}
