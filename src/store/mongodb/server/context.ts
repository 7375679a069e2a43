import type { Collections } from "../schema/documents.ts";
import type { Connection } from "./connection.ts";

/** What the parts of this store share. */
export interface Parts {
  connection: Connection;
  collections: Collections;
  /** Tells those who follow this handle (`feed.ts`) what it just committed, so that its own writes are found at once. */
  wrote(change: { posts?: readonly string[]; publishers?: readonly string[] }): void;
}
