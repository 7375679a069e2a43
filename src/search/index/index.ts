import { rmSync } from "node:fs";
import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import type { Ask, IndexText, SearchIndex } from "../../ports/search-index.ts";
import { LIMITS } from "./follower.ts";
import { indexedTextOf, type PostRows } from "./indexed-post.ts";
import { type IndexModel, LocalAnswers } from "./local.ts";
import { snapshotFiles } from "./snapshot/index.ts";
import { isDamaged } from "./sqlite-errors.ts";
import { MIGRATIONS, Tables } from "./tables.ts";
import { ThreadAnswers } from "./thread/index.ts";

/** From this many posts on a search takes so long that the event loop should not wait for it: about 2 ms. */
const THREAD_FROM = 30_000;
/** After as many ends of the thread, this thread answers. */
const BREAKS_MAX = 3;

export interface EmbeddedOptions {
  /** Reads what the index is of. */
  rows: (database: DatabaseSyncInstance) => PostRows;
  /** The module of a thread that answers from the same rows: see `serveSearches`. */
  worker: URL;
  /** Answers from this many posts on. */
  threadFrom?: number;
  /** The memory of this thread is held to these. */
  limits?: typeof LIMITS;
}

/**
 * The embedded index: SQLite keeps its words, memory answers from it. Its tables change in the store's transactions, so that a
 * post is searchable as soon as it is acknowledged, or not there at all; the memory follows their change table before each
 * question. A post is named by a number that no other post ever gets. Several processes may use one file. A board that is small
 * when it is opened is searched in the caller's thread, a large one in a thread of its own.
 */
export class EmbeddedIndex implements SearchIndex {
  /** These statements create the index's tables; they run once per version inside the store's migrations, append-only. */
  readonly migrations: readonly string[] = MIGRATIONS;
  readonly #model: IndexModel;
  readonly #rows: EmbeddedOptions["rows"];
  readonly #worker: URL;
  readonly #threadFrom: number;
  readonly #limits: typeof LIMITS;
  #attached: { database: DatabaseSyncInstance; tables: Tables } | null = null;
  #local: LocalAnswers | null = null;
  #thread: ThreadAnswers | null = null;
  #breaks = 0;
  /** True when something was erased since the last commit. */
  #erased = false;
  #closed = false;

  constructor(model: IndexModel, options: EmbeddedOptions) {
    const { rows, worker, threadFrom = THREAD_FROM, limits = LIMITS } = options;
    if (model.dimension % 16 !== 0) {
      throw new RangeError(`Vectors of ${model.dimension} dimensions do not fit the kernel.`);
    }
    this.#model = { modelId: model.modelId, dimension: model.dimension };
    this.#rows = rows;
    this.#worker = worker;
    this.#threadFrom = threadFrom;
    this.#limits = limits;
  }

  /** The store calls this once after migrations, before anything else. */
  attach(database: DatabaseSyncInstance): void {
    // Freed pages keep no bytes of erased posts.
    database.exec("PRAGMA secure_delete = ON");
    this.#attached = { database, tables: new Tables(database, this.#rows(database)) };
  }

  /**
   * Loads the memory: of a large board in a thread of its own, which answers from then on. Without it, the first question
   * loads it here. Again does nothing.
   * @throws Error of SQLite for a damaged file
   */
  async open(): Promise<void> {
    const { database, tables } = this.#parts;
    const file = database.location();
    if (file === null || this.#thread !== null || !tables.rows.hasPosts(this.#threadFrom)) this.follow();
    else {
      this.#local?.release();
      this.#local = null;
      this.#thread = this.#newThread(file);
      await this.#thread.ready().catch((error: unknown) => {
        if (isDamaged(error)) throw error;
      });
    }
  }

  /** The store calls this when an active post comes, changes or goes. */
  replace(seq: number, before: IndexText | null, after: IndexText | null): void {
    const [old, text] = [before, after].map((one) => (one === null ? null : indexedTextOf(one)));
    this.tables.replace(seq, old ?? null, text ?? null);
  }

  /** The store calls this when something else of an active post changed, such as its vector. */
  touch(seq: number): void {
    this.tables.touch(seq);
  }

  /** The store calls this when a publisher came or changed. */
  touchPublisher(id: string): void {
    this.tables.touchPublisher(id);
  }

  /** The store calls this when a publisher is erased, behind its posts. */
  forgetPublisher(id: string): void {
    this.tables.forgetPublisher(id);
    this.#erased = true;
  }

  /** Forgets the words of all texts, to be told of them anew. */
  removeAllWords(): void {
    this.tables.removeAllWords();
  }

  /** A snapshot may hold what goes in this transaction for good. */
  protected erased(): void {
    this.tables.eraseSnapshot();
    this.#erased = true;
  }

  /** The store calls this after each commit, never inside one. */
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

  readonly ask: Ask = (what, ...of) => (this.#thread ?? this.#here()).ask(what, ...of);

  /** Leaves a snapshot for the next start. Called before the database is closed; again does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#local?.close(), this.#thread?.close()]);
  }

  protected get tables(): Tables {
    return this.#parts.tables;
  }

  get #parts() {
    if (this.#attached === null) throw new Error("The index is not attached to a database yet.");
    return this.#attached;
  }

  #here(): LocalAnswers {
    const { database, tables } = this.#parts;
    this.#local ??= new LocalAnswers(database, tables, this.#model, this.#limits);
    return this.#local;
  }

  #newThread(file: string): ThreadAnswers {
    const thread = new ThreadAnswers(this.#worker, { file, model: this.#model }, () => {
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
