import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { TransactionalIndex } from "../../../ports/search-index.ts";
import type { Connection } from "./connection.ts";

/** An index inside this store's database. */
export type StoreIndex = TransactionalIndex<DatabaseSyncInstance>;

/** What the parts of this store share. */
export interface Parts {
  connection: Connection;
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
};
