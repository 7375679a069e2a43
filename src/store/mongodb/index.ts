import type { IndexFeed } from "../../ports/index-feed.ts";
import type { Store } from "../../ports/store/index.ts";
import { leaseStore } from "./board/leases.ts";
import { limitStore } from "./board/limits.ts";
import { rankingStore } from "./board/rankings.ts";
import { settingStore } from "./board/settings.ts";
import { statisticsStore } from "./board/statistics.ts";
import { feedOf } from "./feed/index.ts";
import { finishErasures } from "./posts/erasure.ts";
import { postStore } from "./posts/index.ts";
import { publisherStore } from "./publishers/index.ts";
import { reportStore } from "./publishers/reports.ts";
import { type Collections, collectionsOf } from "./schema/documents.ts";
import { migrate } from "./schema/migrations.ts";
import { checkServer } from "./server/check-server.ts";
import { type Connection, connect } from "./server/connection.ts";
import type { Parts } from "./server/context.ts";
import { workStore } from "./server/work.ts";
import { inboxStore } from "./subscriptions/inbox.ts";
import { subscriptionStore } from "./subscriptions/index.ts";
import { transferStore } from "./transfer/index.ts";
import { pushStore } from "./webhooks/index.ts";

export { examine } from "./server/examine.ts";

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
