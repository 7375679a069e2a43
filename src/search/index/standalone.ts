import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import { siblingOf } from "../../platform/start-worker.ts";
import type { IndexEntry } from "../../ports/search-index.ts";
import { EmbeddedIndex, type EmbeddedOptions } from "./index.ts";
import type { IndexModel } from "./local.ts";
import { OWN_ROWS, OwnRows } from "./own-rows.ts";
import { MIGRATIONS } from "./tables.ts";

/** An index in a file of its own, told of every post. Each change runs in a transaction of the caller's. */
export class StandaloneIndex extends EmbeddedIndex {
  override readonly migrations = [...MIGRATIONS, OWN_ROWS];
  #rows: OwnRows | null = null;

  constructor(model: IndexModel, options: Omit<EmbeddedOptions, "rows" | "worker"> = {}) {
    const worker = siblingOf(import.meta.url, "thread/worker");
    super(model, { ...options, rows: (database) => new OwnRows(database), worker });
  }

  override attach(database: DatabaseSyncInstance): void {
    super.attach(database);
    this.#rows = this.tables.rows as OwnRows;
  }

  /** Adds an active post, or replaces it. */
  readonly put = (entry: IndexEntry): void => {
    const { seq, before, after } = this.#own.put(entry);
    this.tables.replace(seq, before, after);
  };

  readonly remove = (id: string): void => {
    const before = this.#own.textOf(id);
    if (before === null) return;
    // A snapshot since its publisher went holds an erased post.
    if (!this.#own.hasPublisherOf(before.seq)) this.erased();
    this.tables.replace(before.seq, before, null);
    this.#own.remove(before.seq);
  };

  readonly putVector = (id: string, model: string, vector: Int8Array): void => {
    const { seq } = this.#own.textOf(id) ?? {};
    if (seq === undefined) return;
    this.#own.putVector(seq, model, vector);
    this.touch(seq);
  };

  readonly removeVector = (id: string): void => {
    const { seq } = this.#own.textOf(id) ?? {};
    if (seq === undefined) return;
    this.#own.removeVector(seq);
    this.touch(seq);
  };

  readonly putPublisher = (id: string, publisher: { verified: boolean; suspended: boolean }): void => {
    this.#own.putPublisher(id, publisher);
    this.touchPublisher(id);
  };

  readonly removePublisher = (id: string): void => {
    this.#own.removePublisher(id);
    this.forgetPublisher(id);
  };

  get #own(): OwnRows {
    if (this.#rows === null) throw new Error("The index is not attached to a database yet.");
    return this.#rows;
  }
}
