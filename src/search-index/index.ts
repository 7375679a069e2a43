import { rmSync } from "node:fs";
import type { IndexEntry, SearchIndex, TransactionalIndex } from "../ports/search-index.ts";
import type { DatabaseSyncInstance } from "../sqlite.ts";
import { LIMITS } from "./follower.ts";
import { type Answers, type IndexModel, LocalAnswers } from "./local.ts";
import { snapshotFiles } from "./snapshot/index.ts";
import { isDamaged } from "./sqlite-errors.ts";
import { Tables } from "./tables.ts";
import { ThreadAnswers } from "./thread/index.ts";
import { TOKENIZER } from "./words/stems.ts";

/** Posts from which a search takes long enough that the event loop should not wait for it: about 2 ms. */
const THREAD_FROM = 30_000;
/** After as many ends of the thread, this thread answers. */
const BREAKS_MAX = 3;

/**
 * The embedded index: SQLite keeps it, memory answers from it. Its tables change in the store's transactions; the memory
 * follows their change table before each question. Several processes may use one file. A board that is small when it is
 * opened is searched in the caller's thread, a large one in a thread of its own.
 */
export class EmbeddedIndex implements SearchIndex, TransactionalIndex<DatabaseSyncInstance> {
  readonly migrations = MIGRATIONS;
  readonly #model: IndexModel;
  readonly #threadFrom: number;
  readonly #limits: typeof LIMITS;
  #attached: { database: DatabaseSyncInstance; tables: Tables } | null = null;
  #local: LocalAnswers | null = null;
  #thread: ThreadAnswers | null = null;
  #breaks = 0;
  /** True when something was erased since the last commit. */
  #erased = false;
  #closed = false;

  /**
   * @param options.threadFrom  posts from which a thread answers
   * @param options.limits  of the memory in this thread
   */
  constructor(model: IndexModel, { threadFrom = THREAD_FROM, limits = LIMITS } = {}) {
    if (model.dimension % 16 !== 0) {
      throw new RangeError(`Vectors of ${model.dimension} dimensions do not fit the kernel.`);
    }
    this.#model = { modelId: model.modelId, dimension: model.dimension };
    this.#threadFrom = threadFrom;
    this.#limits = limits;
  }

  attach(database: DatabaseSyncInstance): void {
    // Freed pages keep no bytes of erased posts.
    database.exec("PRAGMA secure_delete = ON");
    this.#attached = { database, tables: new Tables(database) };
  }

  /**
   * Loads the memory: of a large board in a thread of its own, which answers from then on. Without it, the first question
   * loads it here. Again does nothing.
   * @throws Error of SQLite for a damaged file
   */
  async open(): Promise<void> {
    const { database, tables } = this.#parts;
    const file = database.location();
    if (file === null || this.#thread !== null || !tables.hasPosts(this.#threadFrom)) this.follow();
    else {
      this.#local?.release();
      this.#local = null;
      this.#thread = this.#newThread(file);
      await this.#thread.ready().catch((error: unknown) => {
        if (isDamaged(error)) throw error;
      });
    }
  }

  readonly put = (entry: IndexEntry): void => this.#parts.tables.put(entry);
  readonly remove = (id: string): void => {
    if (this.#parts.tables.remove(id)) this.#erased = true;
  };
  readonly putVector = (id: string, model: string, vector: Int8Array): void =>
    this.#parts.tables.putVector(id, model, vector);
  readonly removeVector = (id: string): void => this.#parts.tables.removeVector(id);
  readonly putPublisher: Tables["putPublisher"] = (id, status) => this.#parts.tables.putPublisher(id, status);
  readonly removePublisher = (id: string): void => {
    this.#parts.tables.removePublisher(id);
    this.#erased = true;
  };

  committed(): void {
    if (this.#local !== null) this.#local.follower.stale = true;
    if (this.#erased) this.#forget();
    this.#erased = false;
  }

  /** True while a thread of its own answers. */
  get isThreaded(): boolean {
    return this.#thread !== null;
  }

  ready(): boolean {
    return this.#attached !== null;
  }

  /** Brings the memory up to date; long writes call it between their steps, so that no question has to wait. */
  follow(): void {
    if (this.#thread === null) this.#here().follower.follow();
  }

  readonly rank: SearchIndex["rank"] = (question, options) => this.#answers().rank(question, options);
  readonly list: SearchIndex["list"] = (question, page) => this.#answers().list(question, page);
  readonly copies: SearchIndex["copies"] = (question, ids) => this.#answers().copies(question, ids);
  readonly laterDates: SearchIndex["laterDates"] = (filter, ids) => this.#answers().laterDates(filter, ids);
  readonly count: SearchIndex["count"] = (question, most) => this.#answers().count(question, most);
  readonly spots: SearchIndex["spots"] = (question, limit) => this.#answers().spots(question, limit);
  readonly spellings: SearchIndex["spellings"] = (words) => this.#answers().spellings(words);
  readonly unknownWords: SearchIndex["unknownWords"] = (words) => this.#answers().unknownWords(words);
  readonly vectors: SearchIndex["vectors"] = (ids) => this.#answers().vectors(ids);

  /** Leaves a snapshot for the next start. Called before the database is closed; again does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#local?.close(), this.#thread?.close()]);
  }

  get #parts() {
    if (this.#attached === null) throw new Error("The index is not attached to a database yet.");
    return this.#attached;
  }

  #answers(): Answers {
    return this.#thread ?? this.#here();
  }

  #here(): LocalAnswers {
    const { database, tables } = this.#parts;
    this.#local ??= new LocalAnswers(database, tables, this.#model, this.#limits);
    return this.#local;
  }

  #newThread(file: string): ThreadAnswers {
    const thread = new ThreadAnswers(file, this.#model, () => {
      this.#breaks += 1;
      if (this.#thread !== thread || this.#closed) return;
      this.#thread = this.#breaks < BREAKS_MAX ? this.#newThread(file) : null;
    });
    return thread;
  }

  /** Removes the snapshot, which holds what was just erased. The memory answers without it at once. */
  #forget(): void {
    const file = this.#parts.database.location();
    if (file === null) return;
    for (const path of snapshotFiles(file)) rmSync(path, { force: true });
    this.#local?.forget();
    this.#thread?.forget();
  }
}

/**
 * The index's own tables, append-only from 1.0 on. They refer to no others, so an index can live in the store's database or
 * alone.
 *
 * `index_change` names posts and publishers that changed, for the memory of every process; its newest row is never deleted, so
 * a number is not used again, while that of a post may be. `index_snapshot` ties a snapshot of the memory to this file, and
 * counts erasures of what a snapshot may hold. Deleted text leaves the full-text index at once, not at a later merge
 * (secure-delete), and its segments merge by eights and not by fours; both settings are stored in the table.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE index_doc (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     tags TEXT NOT NULL,
     lat REAL,
     lng REAL,
     window_start INTEGER NOT NULL,
     window_end INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     publisher_id TEXT NOT NULL,
     parent_id TEXT,
     syndicated INTEGER NOT NULL,
     source TEXT,
     title TEXT NOT NULL,
     body TEXT NOT NULL,
     more TEXT NOT NULL
   ) STRICT;
   CREATE VIRTUAL TABLE index_words USING fts5(
     title, body, more, content = 'index_doc', content_rowid = 'seq', tokenize = ${TOKENIZER}
   );
   INSERT INTO index_words (index_words, rank) VALUES ('secure-delete', 1), ('automerge', 8);
   CREATE TABLE index_vector (seq INTEGER PRIMARY KEY, model TEXT NOT NULL, i8 BLOB NOT NULL) STRICT;
   CREATE TABLE index_publisher (
     id TEXT PRIMARY KEY, verified INTEGER NOT NULL, suspended INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE index_change (no INTEGER PRIMARY KEY, seq INTEGER, publisher_id TEXT) STRICT;
   CREATE TABLE index_snapshot (mark TEXT, erasures INTEGER NOT NULL) STRICT;
   INSERT INTO index_snapshot VALUES (NULL, 0)`,
  // Boards of before 1.0 may have posts in `index_doc` that are not in it.
  "INSERT INTO index_words (index_words) VALUES ('rebuild')",
  "ALTER TABLE index_doc ADD COLUMN series TEXT",
];
