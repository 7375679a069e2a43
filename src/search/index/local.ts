import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import {
  Abandoned,
  type Question,
  type Ranked,
  type SearchIndex,
  type Spot,
} from "../../ports/search-index.ts";
import type { Position } from "../../ports/store/index.ts";
import type { PostFilter } from "../../schema/filter.ts";
import { rankCandidates } from "../ranking/rank.ts";
import { Follower, LIMITS } from "./follower.ts";
import { Searcher } from "./query/searcher.ts";
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
    this.#spellings = new Spellings(database, tables.rows, this.#stems);
    const scorer = new WordScorer(this.#stems, new Phrases(database));
    this.#searcher = new Searcher(this.follower, scorer);
  }

  async rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]): Promise<Ranked[]> {
    for (;;) {
      const searcher = this.#current(question);
      const { memory } = this.follower;
      const { moves } = memory;
      const except = new Set(searcher.rowsOf([...(options.except ?? [])]));
      const ranked = await rankCandidates(searcher.candidates(question), question, { ...options, except });
      // Ranking waits between its steps; another question may have given rows other numbers meanwhile.
      if (this.follower.memory === memory && memory.moves === moves) return ranked;
    }
  }

  async list(question: Question, page: Parameters<SearchIndex["list"]>[1]): Promise<Position[]> {
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

  async laterDates(filter: PostFilter, ids: readonly string[]): Promise<Position[][]> {
    const searcher = this.#current();
    const rows = searcher.rowsOf(ids);
    const found = searcher.laterDates(
      filter,
      rows.filter((row) => row >= 0),
    );
    return rows.map((row) => (row < 0 ? [] : (found.shift() ?? [])));
  }

  async count(question: Question, most = Number.MAX_SAFE_INTEGER): Promise<number> {
    return this.#current(question).count(question, most);
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

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    const searcher = this.#current();
    return searcher.vectors(searcher.rowsOf(ids));
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
