import { EventEmitter } from "node:events";
import type { Store } from "../../ports/store/index.ts";
import type { StoreModule } from "../module.ts";
import {
  mongodbLeaseStore,
  mongodbLimitStore,
  mongodbRankingStore,
  mongodbSettingStore,
} from "./board/index.ts";
import { mongodbStatisticsStore } from "./board/statistics.ts";
import { checkServer } from "./database/check-server.ts";
import { connectMongodb, type MongodbConnection } from "./database/connection.ts";
import { type Collections, collectionsOf, type MongodbContext } from "./database/context.ts";
import { migrateMongodb } from "./database/schema/migrations.ts";
import { mongodbWorkStore } from "./database/work.ts";
import { examineMongodb } from "./examine.ts";
import { mongodbPostStore } from "./posts/index.ts";
import { finishDocumentErasures } from "./publishers/erasure.ts";
import { mongodbPublisherStore } from "./publishers/index.ts";
import { mongodbReportStore } from "./publishers/reports.ts";
import { mongodbSignInStore } from "./publishers/sign-ins.ts";
import { mongodbPushStore } from "./pushes/index.ts";
import { feedOf, type IndexFeed } from "./search/feed/index.ts";
import type { FeedChange } from "./search/feed/stream.ts";
import { openMongodbIndex } from "./search/index.ts";
import { mongodbInboxStore } from "./subscriptions/inbox.ts";
import { mongodbSubscriptionStore } from "./subscriptions/index.ts";
import { mongodbTransferStore } from "./transfer.ts";

export default {
  async open(url, { model, indexFolder, ...options }) {
    const store = await openMongodb(url, (line) => options.log.info({}, line));
    try {
      const index = await openMongodbIndex(store, { ...model, ...options, folder: indexFolder });
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
  exists: (url) =>
    connected(url, async ({ db }) => {
      const found = await db.listCollections({}, { nameOnly: true }).toArray();
      return found.length > 0;
    }),
  setting: (url, name) =>
    connected(url, async ({ db }) => {
      const found = await collectionsOf(db).settings.findOne({ _id: name });
      return found?.value ?? null;
    }),
  examine: examineMongodb,
} satisfies StoreModule;

/** Asks a database once, without opening a board. */
async function connected<T>(url: string, ask: (connection: MongodbConnection) => Promise<T>): Promise<T> {
  const connection = await connectMongodb(url);
  try {
    return await connection.run(() => ask(connection));
  } finally {
    await connection.close();
  }
}

/** Keeps a board in a MongoDB database. Its search index is separate and kept up to date from `feed`. */
export interface MongodbStore extends Store {
  readonly feed: IndexFeed;
  /** The database's own search index and checks use it; changes go through the store. */
  readonly connection: MongodbConnection;
  readonly collections: Collections;
}

/**
 * Opens `mongodb://…/NAME` or `mongodb+srv://…/NAME` and brings its collections and indexes up to date. Any number of
 * processes may open one database.
 *
 * @param log  called before and after an upgrade
 * @throws Error with one line for the operator when the server cannot hold a board; StoreUnavailable when none answers
 */
export async function openMongodb(url: string, log?: (line: string) => void): Promise<MongodbStore> {
  const connection = await connectMongodb(url);
  const collections = collectionsOf(connection.db);
  const news = new EventEmitter<{ written: [FeedChange]; postsChanged: [] }>();
  const context: MongodbContext = {
    connection,
    collections,
    wrote: ({ posts = [], publishers = [] }) => void news.emit("written", { posts, publishers }),
  };
  try {
    await checkServer(connection);
    await migrateMongodb(connection, url, log);
    await finishDocumentErasures(context);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    connection,
    collections,
    feed: feedOf(context, {
      onWrite: (wrote) => void news.on("written", wrote),
      postsChanged: () => void news.emit("postsChanged"),
    }),
    posts: mongodbPostStore(context),
    publishers: mongodbPublisherStore(context),
    signIns: mongodbSignInStore(context),
    subscriptions: mongodbSubscriptionStore(context),
    reports: mongodbReportStore(context),
    pushes: mongodbPushStore(context),
    inbox: mongodbInboxStore(context),
    work: mongodbWorkStore(context, (changed) => void news.on("postsChanged", changed)),
    limits: mongodbLimitStore(context),
    rankings: mongodbRankingStore(context),
    statistics: mongodbStatisticsStore(context),
    settings: mongodbSettingStore(context),
    leases: mongodbLeaseStore(context),
    transfer: mongodbTransferStore(context),
    async finishErasures() {
      await finishDocumentErasures(context);
      return true;
    },
    async ping() {
      await connection.run(() => connection.db.command({ ping: 1 }));
      return { unwritable: null };
    },
    close: () => connection.close(),
  };
}
