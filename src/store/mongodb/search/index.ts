import type { SearchIndex } from "../../../ports/search-index.ts";
import type { DataOptions, SearchState } from "../../module.ts";
import { AtlasIndex } from "./atlas/index.ts";
import { type SearchedStore, SearchIndexes } from "./atlas/indexes.ts";
import type { IndexFeed } from "./feed/index.ts";
import { Replica, type ReplicaOptions } from "./replica/index.ts";

export interface MongodbIndex extends SearchIndex {
  state(): SearchState;
  close(): Promise<void>;
}

export interface MongodbIndexOptions extends Omit<ReplicaOptions, "feed"> {
  search: DataOptions["search"];
}

/** Opening waits this long for a replica that answers; a large board goes on filling it in the background. */
const PATIENCE_MS = 20_000;

/**
 * Opens the index of a board in MongoDB, one of two: the database's own search, mongot, or a replica of the posts in this
 * process. `auto` takes mongot where the database has it.
 *
 * @throws Error with one line for the operator when `search` is `atlas` and there is no mongot
 */
export async function openMongodbIndex(
  store: SearchedStore & { feed: IndexFeed },
  options: MongodbIndexOptions,
): Promise<MongodbIndex> {
  if (options.search !== "local") {
    const indexes = new SearchIndexes(store, options);
    await indexes.open();
    if (indexes.state !== "absent") return new AtlasIndex(store, indexes, options.modelId);
    if (options.search === "atlas")
      throw new Error("SEARCH=atlas needs a database with search (mongot), and this one has none.");
  }
  const replica = new Replica({ ...options, feed: store.feed });
  await replica.readyWithin(PATIENCE_MS);
  return replica;
}
