import type { TransactionalIndex } from "../../../ports/search-index.ts";
import type { DatabaseSyncInstance } from "../../../sqlite.ts";
import type { SqliteConnection } from "./connection.ts";

/** An index inside this store's database. */
export type StoreIndex = TransactionalIndex<DatabaseSyncInstance>;

/** What all parts of this store share. */
export interface SqliteContext {
  connection: SqliteConnection;
  /** `NO_INDEX` when the store was opened without one. */
  index: StoreIndex;
}

export const NO_INDEX: StoreIndex = {
  migrations: [],
  attach() {},
  put() {},
  remove() {},
  putVector() {},
  removeVector() {},
  putPublisher() {},
  removePublisher() {},
  committed() {},
  close: async () => {},
};
