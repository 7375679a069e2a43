import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import { siblingOf } from "../../platform/start-worker.ts";
import type { IndexEntry } from "../../ports/search-index.ts";
import { EmbeddedIndex, type EmbeddedOptions } from "./index.ts";
import { statusOf } from "./indexed-post.ts";
import type { IndexModel } from "./local.ts";
import { OWN_ROWS, OwnRows } from "./own-rows.ts";
import { MIGRATIONS } from "./tables.ts";

/** Keeps an index in a file of its own, told of every post. */
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
    const post = this.#own.postOf(id);
    if (post === null) return;
    // A snapshot since its publisher went holds an erased post.
    if (this.#own.publishers([post.publisherId]).length === 0) this.erased();
    this.tables.replace(post.seq, post.text, null);
    this.#own.remove(post.seq);
  };

  /** With nulls it takes the vector away. */
  readonly putVector = (id: string, model: string | null, vector: Int8Array | null): void => {
    const seq = this.#own.setVector(id, model, vector);
    if (seq !== null) this.touch(seq);
  };

  readonly putPublisher = (id: string, publisher: { verified: boolean; suspended: boolean }): void => {
    this.#own.putPublisher(id, statusOf(publisher));
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
