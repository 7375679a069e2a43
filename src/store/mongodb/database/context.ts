import type { Collection, CollectionOptions, Db } from "mongodb";
import type { MongodbConnection } from "./connection.ts";
import type { Documents } from "./schema/documents.ts";
import { INDEXES } from "./schema/indexes.ts";

/** All parts of this store share it. */
export interface MongodbContext {
  connection: MongodbConnection;
  collections: Collections;
  /** Reports what this process just committed to the listeners of the feed, so that own writes are found at once. */
  wrote(change: { posts?: readonly string[]; publishers?: readonly string[] }): void;
}

export type Collections = { [Name in keyof Documents]: Collection<Documents[Name]> };

export const COLLECTIONS = Object.keys(INDEXES) as (keyof Documents)[];

/** These data need not survive: they are written to one member without waiting for the others, and read from it. */
const FLEETING: readonly (keyof Documents)[] = ["windows", "rankings", "daily_counters"];
const FLEETING_OPTIONS: CollectionOptions = { readConcern: { level: "local" }, writeConcern: { w: 1 } };

export function collectionsOf(db: Db): Collections {
  const collections = COLLECTIONS.map((name) => [
    name,
    db.collection(name, FLEETING.includes(name) ? FLEETING_OPTIONS : undefined),
  ]);
  return Object.fromEntries(collections);
}
