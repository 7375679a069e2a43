import type { IndexFeed } from "../../ports/index-feed.ts";
import type { Store } from "../../ports/store.ts";
import { checkServer } from "./check-server.ts";
import { type Connection, connect } from "./connection.ts";
import { type Collections, collectionsOf } from "./documents.ts";
import { finishErasures } from "./erasure.ts";
import { feedOf } from "./feed.ts";
import { inboxStore } from "./inbox.ts";
import { leaseStore } from "./leases.ts";
import { limitStore } from "./limits.ts";
import { migrate } from "./migrations.ts";
import type { Parts } from "./parts.ts";
import { postStore } from "./posts.ts";
import { publisherStore } from "./publishers.ts";
import { pushStore } from "./pushes.ts";
import { rankingStore } from "./rankings.ts";
import { reportStore } from "./reports.ts";
import { settingStore } from "./settings.ts";
import { statisticsStore } from "./statistics.ts";
import { subscriptionStore } from "./subscriptions.ts";
import { transferStore } from "./transfer.ts";
import { workStore } from "./work.ts";

export { examine } from "./examine.ts";

/** A store in a MongoDB database. Its search index stands apart and follows `feed`. */
export interface MongodbStore extends Store {
  readonly feed: IndexFeed;
  /** For a search index of the database's own, and for checks; what changes the board goes through the store. */
  readonly connection: Connection;
  readonly collections: Collections;
}

/**
 * Opens `mongodb://…/NAME` or `mongodb+srv://…/NAME` and brings its collections and indexes up to date. Any number of
 * processes may open one database.
 *
 * @throws Error with one line for the operator when the server cannot hold a board; StoreUnavailable when none answers
 */
export async function open(url: string): Promise<MongodbStore> {
  const connection = await connect(url);
  const collections = collectionsOf(connection.db);
  const listeners: Parameters<IndexFeed["onWrite"]>[0][] = [];
  const parts: Parts = {
    connection,
    collections,
    wrote({ posts = [], publishers = [] }) {
      for (const listener of listeners) listener({ posts, publishers });
    },
  };
  try {
    await checkServer(connection);
    await migrate(connection, url);
    await finishErasures(parts);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    connection,
    collections,
    feed: feedOf(parts, (listener) => void listeners.push(listener)),
    posts: postStore(parts),
    publishers: publisherStore(parts),
    subscriptions: subscriptionStore(parts),
    reports: reportStore(parts),
    pushes: pushStore(parts),
    inbox: inboxStore(parts),
    work: workStore(parts),
    limits: limitStore(parts),
    rankings: rankingStore(parts),
    statistics: statisticsStore(parts),
    settings: settingStore(parts),
    leases: leaseStore(parts),
    transfer: transferStore(parts),
    async ping() {
      await connection.run(() => connection.db.command({ ping: 1 }));
    },
    close: () => connection.close(),
  };
}
