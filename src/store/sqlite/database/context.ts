import type { TransactionalIndex } from "../../../ports/search-index.ts";
import type { DatabaseSyncInstance } from "../../../sqlite.ts";
import type { SqliteConnection } from "./connection.ts";

/** An index inside this store's database. */
export type StoreIndex = TransactionalIndex<DatabaseSyncInstance>;

/** What all parts of this store share. */
export interface SqliteContext {
  connection: SqliteConnection;
  index: StoreIndex;
}
