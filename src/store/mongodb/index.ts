import { randomUUID } from "node:crypto";
import type { IndexFeed } from "../../ports/index-feed.ts";
import type { Store } from "../../ports/store/index.ts";
import { BOARD_ID_SETTING, type StoreModule } from "../module.ts";
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
import { openMongodbIndex } from "./search/index.ts";
import { checkServer } from "./server/check-server.ts";
import { type Connection, connect } from "./server/connection.ts";
import type { Parts } from "./server/context.ts";
import { examineMongodb } from "./server/examine.ts";
import { workStore } from "./server/work.ts";
import { inboxStore } from "./subscriptions/inbox.ts";
import { subscriptionStore } from "./subscriptions/index.ts";
import { transferStore } from "./transfer/index.ts";
import { pushStore } from "./webhooks/index.ts";

export default {
  async open(url, { model, indexFolder, ...options }) {
    const store = await openMongodb(url);
    try {
      const index = await openMongodbIndex({
        ...model,
        ...options,
        feed: store.feed,
        posts: store.collections.posts,
        run: store.connection.run,
        folder: indexFolder,
        board: await store.settings.setOnce(BOARD_ID_SETTING, randomUUID()),
      });
      return {
        store,
        index,
        searchState: () => index.state(),
        async close() {
          await index.close();
          await store.close();
        },
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  },
  openStore: openMongodb,
  examine: examineMongodb,
} satisfies StoreModule;

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
export async function openMongodb(url: string): Promise<MongodbStore> {
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
