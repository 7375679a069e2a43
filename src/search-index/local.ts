import {
  Abandoned,
  type Match,
  type Question,
  type Ranked,
  type RelatedQuestion,
  type SearchIndex,
  type Spot,
} from "../ports/search-index.ts";
import type { Place } from "../ports/store/index.ts";
import { coverageFactors } from "../search/fuse.ts";
import { fusedScores, order, rankCandidates } from "../search/rank.ts";
import type { DatabaseSyncInstance } from "../sqlite.ts";
import { Follower, LIMITS } from "./follower.ts";
import { COMPETING_BY_MEANING, Searcher } from "./query/searcher.ts";
import { WordScorer } from "./query/words.ts";
import { SnapshotFile } from "./snapshot/index.ts";
import type { Tables } from "./tables.ts";
import { Phrases } from "./words/phrases.ts";
import { Spellings } from "./words/spellings.ts";
import { Stems } from "./words/stems.ts";

/** What answers questions: this thread's memory, or another thread. */
export interface Answers extends Omit<SearchIndex, "ready"> {
  /** Called when something was erased: no file may hold it from now on. */
  forget(): void;
  /** Leaves a snapshot for the next start. */
  close(): Promise<void>;
}

/** Vectors of other models stay in the file and are not searched; with null, none are. */
export interface IndexModel {
  modelId: string | null;
  /** A multiple of 16. */
  dimension: number;
}

/** Answers in this thread, from a memory that follows the tables of one connection. */
export class LocalAnswers implements Answers {
  readonly follower: Follower;
  readonly #searcher: Searcher;
  readonly #stems = new Stems();
  readonly #spellings: Spellings;

  constructor(database: DatabaseSyncInstance, tables: Tables, model: IndexModel, limits = LIMITS) {
    const file = database.location();
    const snapshot = file === null ? null : new SnapshotFile(file, JSON.stringify(model));
    this.follower = new Follower(tables, this.#stems, { model, snapshot, limits });
    this.#spellings = new Spellings(database, this.#stems);
    const scorer = new WordScorer(this.#stems, new Phrases(database));
    this.#searcher = new Searcher(this.follower, scorer, model.modelId !== null);
  }

  async rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]): Promise<Ranked[]> {
    for (;;) {
      const searcher = this.#current(question);
      const { memory } = this.follower;
      const { moves } = memory;
      const except = new Set(searcher.rowsOf([...options.except]));
      const ranked = rankCandidates(searcher.candidates(question), question, { ...options, except });
      const answer = await ranked;
      // Ranking waits between its steps; another question may have given rows other numbers meanwhile.
      if (this.follower.memory === memory && memory.moves === moves) return answer;
    }
  }

  async match(question: Question, page: Parameters<SearchIndex["match"]>[1]) {
    return matchesOf(this.#current(question), question, page);
  }

  async list(question: Question, page: Parameters<SearchIndex["list"]>[1]): Promise<Place[]> {
    return this.#current(question).list(question, page);
  }

  async copies(question: Question, ids: readonly string[]): Promise<string[][]> {
    const searcher = this.#current();
    const rows = searcher.rowsOf(ids);
    const found = searcher.copies(
      question,
      rows.filter((row) => row >= 0),
    );
    return rows.map((row) => (row < 0 ? [] : searcher.idsOf(found.shift() ?? [])));
  }

  async count(question: Question): Promise<number> {
    return this.#current(question).count(question);
  }

  async spots(question: Question, limit: number): Promise<Spot[]> {
    return this.#current(question).spots(question, limit);
  }

  async spellings(words: readonly string[]): Promise<(string | null)[]> {
    this.follower.follow();
    return words.map((word) => this.#spellings.meant(this.follower.memory, word));
  }

  async unknownWords(words: readonly string[]): Promise<string[]> {
    this.follower.follow();
    return words.filter((word) => !this.#spellings.isKnown(this.follower.memory, word));
  }

  async related(id: string, asked: RelatedQuestion): Promise<string[]> {
    return relatedTo(this.#current(), id, asked);
  }

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    const searcher = this.#current();
    return searcher.vectors(searcher.rowsOf(ids));
  }

  async cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array> {
    const searcher = this.#current();
    return searcher.cosines(vector, searcher.rowsOf(ids));
  }

  forget(): void {
    this.follower.forget();
  }

  async close(): Promise<void> {
    await this.follower.close();
    this.release();
  }

  /** Ends without a snapshot. */
  release(): void {
    this.follower.end();
    this.#stems.close();
  }

  #current(question?: Question): Searcher {
    if (question?.gone?.aborted === true) throw new Abandoned();
    this.follower.follow();
    return this.#searcher;
  }
}

/** See `SearchIndex.match`. */
function matchesOf(
  searcher: Searcher,
  question: Question,
  page: { limit: number; except: ReadonlySet<string> },
): { matches: Match[]; bestWords: number } {
  const except = new Set(searcher.rowsOf([...page.except]));
  const atLeast = question.words === null ? COMPETING_BY_MEANING : undefined;
  const found = searcher.match(question, { limit: page.limit, except }, atLeast);
  const { keys, cosines, words, coverage, bestWords } = found;
  const factors = coverageFactors(question.words);
  const idsAt = (some: number[]) => searcher.idsOf(some.map((at) => keys[at] ?? 0));
  const places = order(fusedScores(found, cosines, factors), page.limit, (at) => idsAt([at])[0] ?? "");
  const ids = idsAt(places);
  const matches = places.map((at, n) => {
    const cosine = cosines[at] ?? Number.NaN;
    return {
      id: ids[n] ?? "",
      cosine: Number.isNaN(cosine) ? null : cosine,
      words: words[at] ?? 0,
      coverage: coverage[at] ?? 0,
    };
  });
  return { matches, bestWords };
}

/** See `SearchIndex.related`. */
function relatedTo(searcher: Searcher, id: string, asked: RelatedQuestion): string[] {
  const [vector = null] = searcher.vectors(searcher.rowsOf([id]));
  if (vector === null) return [];
  const { filter, minCosine, limit } = asked;
  const page = { limit, except: new Set([id]) };
  const { matches } = matchesOf(searcher, { filter, words: null, vector, minCosine }, page);
  return matches.map((match) => match.id);
}
