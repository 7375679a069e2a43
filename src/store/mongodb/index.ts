import { randomUUID } from "node:crypto";
import type { IndexFeed } from "../../ports/index-feed.ts";
import type { Store } from "../../ports/store/index.ts";
import { BOARD_ID_SETTING, type StoreModule } from "../module.ts";
import { mongodbLimitStore, mongodbRankingStore } from "./board/scratch.ts";
import { mongodbLeaseStore, mongodbSettingStore } from "./board/settings.ts";
import { mongodbStatisticsStore } from "./board/statistics.ts";
import { feedOf } from "./feed/index.ts";
import { finishDocumentErasures } from "./posts/erasure.ts";
import { mongodbPostStore } from "./posts/index.ts";
import { RecentWriters } from "./posts/writers.ts";
import { mongodbPublisherStore } from "./publishers/index.ts";
import { mongodbReportStore } from "./publishers/reports.ts";
import { type Collections, collectionsOf } from "./schema/collections.ts";
import { migrateMongodb } from "./schema/migrations.ts";
import { openMongodbIndex } from "./search/index.ts";
import { WhileAway } from "./search/while-away.ts";
import { checkServer } from "./server/check-server.ts";
import { connectMongodb, type MongodbConnection } from "./server/connection.ts";
import type { MongodbContext } from "./server/context.ts";
import { examineMongodb } from "./server/examine/index.ts";
import { mongodbWorkStore } from "./server/work.ts";
import { mongodbInboxStore } from "./subscriptions/inbox.ts";
import { mongodbSubscriptionStore } from "./subscriptions/index.ts";
import { mongodbShareStore, tellingOfPosts } from "./subscriptions/shares.ts";
import { mongodbTransferStore } from "./transfer/index.ts";
import { mongodbPushStore } from "./webhooks/index.ts";

export default {
  async open(url, { model, indexFolder, ...options }) {
    const store = await openMongodb(url);
    try {
      const index = await openMongodbIndex({
        ...model,
        ...options,
        feed: store.feed,
        posts: store.collections.posts,
        settings: store.settings,
        run: store.connection.run,
        runLong: store.connection.runLong,
        folder: indexFolder,
        board: await store.settings.setOnce(BOARD_ID_SETTING, randomUUID()),
      });
      const { lostForMs } = store.connection;
      const shown = new WhileAway({ store, lostForMs, copied: () => index.copied() });
      return {
        store,
        index,
        shown,
        away: () => shown.away(),
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
  async exists(url) {
    const connection = await connectMongodb(url);
    try {
      const found = await connection.run(() =>
        connection.db.listCollections({}, { nameOnly: true }).toArray(),
      );
      return found.length > 0;
    } finally {
      await connection.close();
    }
  },
  async setting(url, name) {
    const connection = await connectMongodb(url);
    try {
      const { settings } = collectionsOf(connection.db);
      return await connection.run(async () => (await settings.findOne({ _id: name }))?.value ?? null);
    } finally {
      await connection.close();
    }
  },
  examine: examineMongodb,
} satisfies StoreModule;

/** A store in a MongoDB database. Its search index is separate and kept up to date from `feed`. */
export interface MongodbStore extends Store {
  readonly feed: IndexFeed;
  /** For the database's own search index and for checks; changes go through the store. */
  readonly connection: MongodbConnection;
  readonly collections: Collections;
}

/**
 * Opens `mongodb://…/NAME` or `mongodb+srv://…/NAME` and brings its collections and indexes up to date. Any number of
 * processes may open one database.
 *
 * @throws Error with one line for the operator when the server cannot hold a board; StoreUnavailable when none answers
 */
export async function openMongodb(url: string): Promise<MongodbStore> {
  const connection = await connectMongodb(url);
  const collections = collectionsOf(connection.db);
  const listeners: Parameters<IndexFeed["onWrite"]>[0][] = [];
  const watchers: (() => void)[] = [];
  const context: MongodbContext = {
    connection,
    collections,
    writers: new RecentWriters(),
    wrote({ posts = [], publishers = [] }) {
      for (const listener of listeners) listener({ posts, publishers });
    },
  };
  try {
    await checkServer(connection);
    await migrateMongodb(connection, url);
    await finishDocumentErasures(context);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    connection,
    collections,
    feed: tellingOfPosts(
      feedOf(context, (listener) => void listeners.push(listener)),
      watchers,
    ),
    posts: mongodbPostStore(context),
    publishers: mongodbPublisherStore(context),
    subscriptions: mongodbSubscriptionStore(context),
    reports: mongodbReportStore(context),
    pushes: mongodbPushStore(context),
    inbox: mongodbInboxStore(context),
    work: mongodbWorkStore(context),
    limits: mongodbLimitStore(context),
    rankings: mongodbRankingStore(context),
    statistics: mongodbStatisticsStore(context),
    settings: mongodbSettingStore(context),
    leases: mongodbLeaseStore(context),
    shares: mongodbShareStore(context, watchers),
    transfer: mongodbTransferStore(context),
    async finishErasures() {
      await finishDocumentErasures(context);
      return true;
    },
    async ping() {
      await connection.run(() => connection.db.command({ ping: 1 }));
    },
    close: () => connection.close(),
  };
}
