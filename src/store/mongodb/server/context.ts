import type { RecentWriters } from "../posts/writers.ts";
import type { Collections } from "../schema/collections.ts";
import type { MongodbConnection } from "./connection.ts";

/** What all parts of this store share. */
export interface MongodbContext {
  connection: MongodbConnection;
  collections: Collections;
  writers: RecentWriters;
  /** Reports what this process just committed to the listeners of `feed/`, so that own writes are found at once. */
  wrote(change: { posts?: readonly string[]; publishers?: readonly string[] }): void;
}
