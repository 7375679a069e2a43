import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type {
  IndexEntry,
  Match,
  Question,
  Ranked,
  SearchIndex,
  TransactionalIndex,
} from "../ports/search-index.ts";
import type { Place } from "../ports/store/index.ts";
import { fusedScores, order, rankCandidates } from "../search/rank.ts";
import { Follower } from "./follower.ts";
import { Searcher } from "./query/searcher.ts";
import { WordScorer } from "./query/words.ts";
import { SnapshotFile } from "./snapshot/index.ts";
import { MIGRATIONS, Tables } from "./tables.ts";
import { Phrases } from "./words/phrases.ts";
import { Stems } from "./words/stems.ts";

/**
 * The embedded index: SQLite keeps it, memory answers from it. Its tables change in the store's transactions; the memory
 * follows their change table before each question. Several processes may use one file.
 */
export class EmbeddedIndex implements SearchIndex, TransactionalIndex<DatabaseSyncInstance> {
  readonly migrations = MIGRATIONS;
  readonly #model: { modelId: string | null; dimension: number };
  #attached: { tables: Tables; follower: Follower; searcher: Searcher } | null = null;

  /** True when something was erased since the last commit. */
  #erased = false;

  /**
   * @param model.modelId  vectors of other models stay in the file and are not searched; with null, none are
   * @param model.dimension  a multiple of 16
   */
  constructor(model: { modelId: string | null; dimension: number }) {
    if (model.dimension % 16 !== 0) {
      throw new RangeError(`Vectors of ${model.dimension} dimensions do not fit the kernel.`);
    }
    this.#model = model;
  }

  attach(database: DatabaseSyncInstance): void {
    // Freed pages keep no bytes of erased posts.
    database.exec("PRAGMA secure_delete = ON");
    const tables = new Tables(database);
    const stems = new Stems();
    const file = database.location();
    const model = JSON.stringify(this.#model);
    const snapshot = file === null ? null : new SnapshotFile(file, model);
    const follower = new Follower(tables, stems, { model: this.#model, snapshot });
    const scorer = new WordScorer(stems, new Phrases(database));
    const searcher = new Searcher(follower, scorer, this.#model.modelId !== null);
    this.#attached = { tables, follower, searcher };
  }

  readonly put = (entry: IndexEntry): void => this.#parts.tables.put(entry);
  readonly remove = (id: string): void => this.#parts.tables.remove(id);
  readonly putVector = (id: string, model: string, vector: Int8Array): void =>
    this.#parts.tables.putVector(id, model, vector);
  readonly removeVector = (id: string): void => this.#parts.tables.removeVector(id);
  readonly putPublisher: Tables["putPublisher"] = (id, status) => this.#parts.tables.putPublisher(id, status);
  readonly removePublisher = (id: string): void => {
    this.#parts.tables.removePublisher(id);
    this.#erased = true;
  };

  committed(): void {
    const { follower } = this.#parts;
    follower.stale = true;
    if (this.#erased) follower.forget();
    this.#erased = false;
  }

  /** Leaves a snapshot for the next start. Called before the database is closed. */
  async close(): Promise<void> {
    await this.#attached?.follower.close();
  }

  ready(): boolean {
    return this.#attached !== null;
  }

  /** Brings the memory up to date; long writes call it between their steps, so that no question has to wait. */
  follow(): void {
    this.#parts.follower.follow();
  }

  /** Ids of posts in `(after, until]`; null means no end. */
  readonly postsBetween: Tables["postsBetween"] = (after, until) =>
    this.#parts.tables.postsBetween(after, until);

  /** Ids of publishers, the same way. */
  readonly publishersBetween: Tables["publishersBetween"] = (after, until) =>
    this.#parts.tables.publishersBetween(after, until);

  async rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]): Promise<Ranked[]> {
    const searcher = this.#current();
    const except = new Set(searcher.rowsOf([...options.except]));
    return rankCandidates(searcher.candidates(question), question.vector, { ...options, except });
  }

  async match(
    question: Question,
    page: { limit: number; except: ReadonlySet<string> },
  ): Promise<{ matches: Match[]; bestWords: number }> {
    const searcher = this.#current();
    const except = new Set(searcher.rowsOf([...page.except]));
    const found = searcher.match(question, { limit: page.limit, except });
    const { keys, cosines, words, bestWords } = found;
    const idAt = (at: number) => searcher.idOf(keys[at] ?? 0);
    const places = order(fusedScores(found, cosines), page.limit, idAt);
    const matches = places.map((at) => {
      const cosine = cosines[at] ?? Number.NaN;
      return { id: idAt(at), cosine: Number.isNaN(cosine) ? null : cosine, words: words[at] ?? 0 };
    });
    return { matches, bestWords };
  }

  async list(question: Question, page: Parameters<SearchIndex["list"]>[1]): Promise<Place[]> {
    return this.#current().list(question, page);
  }

  async count(question: Question): Promise<number> {
    return this.#current().count(question);
  }

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    const searcher = this.#current();
    return searcher.vectors(searcher.rowsOf(ids));
  }

  async cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array> {
    const searcher = this.#current();
    return searcher.cosines(vector, searcher.rowsOf(ids));
  }

  get #parts() {
    if (this.#attached === null) throw new Error("The index is not attached to a database yet.");
    return this.#attached;
  }

  #current(): Searcher {
    const { follower, searcher } = this.#parts;
    follower.follow();
    return searcher;
  }
}
