import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "../../src/platform/sqlite.ts";
import type { IndexEntry, Question } from "../../src/ports/search-index.ts";
import { StandaloneIndex } from "../../src/search/index/standalone.ts";

/** A search keeps a ranking of this length for its later pages. */
export const RANKING = 1_000;

export interface IndexedPost {
  entry: IndexEntry;
  /** A post that is not embedded yet has null. */
  vector: Int8Array | null;
}

/** The board's own index in a folder of its own, asked as a search asks it. Only this file knows its interface. */
export class IndexUnderTest {
  readonly folder: string;
  readonly #model: { modelId: string; dimension: number };
  readonly #database: DatabaseSyncInstance;
  readonly #index: StandaloneIndex;
  #commits = 1;

  /**
   * Opens the index of a folder, an empty one where there is none.
   * @param folder  a new temporary one unless given
   */
  constructor(
    model: { modelId: string | null; dimension: number },
    folder = mkdtempSync(join(tmpdir(), "index-")),
  ) {
    this.folder = folder;
    this.#model = { ...model, modelId: model.modelId ?? "bench" };
    this.#database = new DatabaseSync(join(folder, "board.db"));
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#index = new StandaloneIndex(this.#model);
    const { user_version: version } = this.#database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (version === 0) {
      for (const statement of this.#index.migrations) this.#database.exec(statement);
      this.#database.exec("PRAGMA user_version = 1");
    }
    this.#index.attach(this.#database);
  }

  /** Writes posts, and vectors where they have one, in one transaction. */
  put(posts: readonly IndexedPost[]): void {
    this.#write(() => {
      for (const { entry, vector } of posts) {
        this.#index.put(entry);
        if (vector !== null) this.#index.putVector(entry.id, this.#model.modelId, vector);
      }
    });
  }

  putVector(id: string, vector: Int8Array): void {
    this.#write(() => this.#index.putVector(id, this.#model.modelId, vector));
  }

  /** A transaction that writes one number, each time another: SQLite writes no page that stays the same. */
  commitOnly(): void {
    this.#commits += 1;
    this.#write(() => this.#database.exec(`PRAGMA user_version = ${this.#commits}`));
  }

  putPublishers(ids: readonly string[], isVerified: (id: string) => boolean): void {
    this.#write(() => {
      for (const id of ids) this.#index.putPublisher(id, { verified: isVerified(id), suspended: false });
    });
  }

  /** Ids, best first, as a search by relevance gets them. */
  async rank(
    question: Question,
    { rerank = true, limit = RANKING }: { rerank?: boolean; limit?: number } = {},
  ): Promise<string[]> {
    const ranked = await this.#index.ask("rank", question, { rerank, limit });
    return ranked.map(({ id }) => id);
  }

  async list(question: Question, order: "newest" | "soonest", limit: number): Promise<string[]> {
    return (await this.#index.ask("list", question, { order, after: null, limit })).map(({ id }) => id);
  }

  /** The posts most like one, as reading it shows them. */
  async related(id: string, filter: Question["filter"], limit: number): Promise<string[]> {
    const [vector = null] = await this.#index.ask("vectors", [id]);
    return this.rank({ filter, words: null, vector, minCosine: 0.3 }, { rerank: false, limit });
  }

  /** Moves the searches of a large board to its thread. @throws Error for one that stays small */
  async threaded(): Promise<void> {
    await this.#index.open();
    if (!this.#index.isThreaded) throw new Error("The board has no thread: it is too small.");
  }

  count(question: Question): Promise<number> {
    return this.#index.ask("count", question);
  }

  /** Closes the index as a store does, and removes its files unless they are to be kept. */
  async close({ keep = false } = {}): Promise<void> {
    await this.#index.close();
    this.#database.close();
    if (!keep) rmSync(this.folder, { recursive: true });
  }

  #write(change: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    change();
    this.#database.exec("COMMIT");
    this.#index.committed();
  }
}
