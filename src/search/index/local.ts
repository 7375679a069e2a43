import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import {
  Abandoned,
  type Answered,
  type Answering,
  type Ask,
  type Question,
  type Ranked,
} from "../../ports/search-index.ts";
import { rankCandidates } from "../ranking/rank.ts";
import { Follower, LIMITS } from "./follower.ts";
import { Searcher } from "./query/searcher.ts";
import { WordScorer } from "./query/words.ts";
import { SnapshotFile } from "./snapshot/index.ts";
import type { Tables } from "./tables.ts";
import { Phrases } from "./words/phrases.ts";
import { Spellings } from "./words/spellings.ts";
import { Stems } from "./words/stems.ts";

/** Questions are answered by this thread's memory, or by another thread. */
export interface Answers {
  readonly ask: Ask;
  /** The index calls this when something was erased: no file may hold it from now on. */
  forget(): void;
  /** Leaves a snapshot for the next start. */
  close(): Promise<void>;
}

/** Vectors of other models stay in the file and are not searched; with null, none are. */
export interface IndexModel {
  modelId: string | null;
  /** The dimension is a multiple of 16. */
  dimension: number;
}

/** Answers in this thread, from a memory that follows the tables of one connection. */
export class LocalAnswers implements Answers {
  readonly follower: Follower;
  readonly #searcher: Searcher;
  readonly #stems = new Stems();
  readonly #answering: Answering;

  constructor(database: DatabaseSyncInstance, tables: Tables, model: IndexModel, limits = LIMITS) {
    const file = database.location();
    const snapshot = file === null ? null : new SnapshotFile(file, JSON.stringify(model));
    this.follower = new Follower(tables, this.#stems, { model, snapshot, limits });
    const spellings = new Spellings(database, tables.rows, this.#stems);
    const searcher = new Searcher(this.follower, new WordScorer(this.#stems, new Phrases(database)));
    this.#searcher = searcher;
    this.#answering = {
      rank: (question, options) => this.#rank(question, options),
      list: (question, page) => searcher.list(question, page),
      page: (question, { most, ...page }) => {
        const places = searcher.list(question, page);
        const ends = most === 0 || places.length < page.limit;
        return { places, total: ends ? null : searcher.count(question, most) };
      },
      copies: (question, ids) => searcher.copies(question, ids),
      laterDates: (filter, ids) => searcher.laterDates(filter, ids),
      count: (question, most) => searcher.count(question, most),
      spots: (question, limit) => searcher.spots(question, limit),
      spellings: (words) => words.map((word) => spellings.meant(this.follower.memory, word)),
      unknownWords: (words) => words.filter((word) => !spellings.isKnown(this.follower.memory, word)),
      vectors: (ids) => searcher.vectors(searcher.rowsOf(ids)),
    };
  }

  readonly ask: Ask = async (what, ...of) => {
    if (goneOf(of)?.aborted === true) throw new Abandoned();
    this.follower.follow();
    return this.#answering[what](...of);
  };

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

  async #rank(...[{ like, ...asked }, options]: Parameters<Answered["rank"]>): Promise<Ranked[]> {
    const [vector = null] =
      like === undefined ? [asked.vector] : this.#searcher.vectors(this.#searcher.rowsOf([like]));
    if (like !== undefined && vector === null) return [];
    const question = { ...asked, vector };
    for (;;) {
      const { memory } = this.follower;
      const { moves } = memory;
      const except = new Set(this.#searcher.rowsOf([...(options.except ?? [])]));
      const candidates = this.#searcher.candidates(question);
      const ranked = await rankCandidates(candidates, question, { ...options, except });
      // Ranking waits between its steps; another question may have given rows other numbers meanwhile.
      if (this.follower.memory === memory && memory.moves === moves) return ranked;
    }
  }
}

/** Reads from a question who waits for its answer, where it says so. */
export const goneOf = ([question]: readonly unknown[]): AbortSignal | undefined =>
  (question as Partial<Question>).gone;
