import type { MongodbConnection } from "./connection.ts";
import type { Collections } from "./schema/collections.ts";

/** What all parts of this store share. */
export interface MongodbContext {
  connection: MongodbConnection;
  collections: Collections;
  /** Reports what this process just committed to the listeners of the feed, so that own writes are found at once. */
  wrote(change: { posts?: readonly string[]; publishers?: readonly string[] }): void;
}
