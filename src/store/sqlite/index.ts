import { statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../platform/folders.ts";
import { siblingOf } from "../../platform/start-worker.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import { type Store, StoreUnavailable } from "../../ports/store/index.ts";
import { EmbeddedIndex, type EmbeddedOptions } from "../../search/index/index.ts";
import type { IndexModel } from "../../search/index/local.ts";
import { isDamaged, sqliteCode } from "../../search/index/sqlite-errors.ts";
import type { StoreModule } from "../module.ts";
import { sqliteLeaseStore, sqliteSettingStore } from "./board/index.ts";
import { openScratch, sqliteLimitStore, sqliteRankingStore } from "./board/scratch.ts";
import { sqliteStatisticsStore } from "./board/statistics.ts";
import {
  connectSqlite,
  fileOf,
  pruneBefore,
  type SqliteConnection,
  type SqliteContext,
  type StoreIndex,
} from "./database/connection.ts";
import { examineSqlite, settingInFile } from "./database/examine.ts";
import { sqliteIndexRows } from "./database/index-rows.ts";
import { STORE_MIGRATIONS } from "./database/migrations.ts";
import { unwritableReason } from "./database/own-files.ts";
import { isStale, markStale, reindex } from "./database/reindex.ts";
import { migrateSqlite, type Part } from "./database/upgrade.ts";
import { sqliteWorkStore } from "./database/work.ts";
import { finishRowErasures } from "./posts/erasure.ts";
import { sqlitePostStore } from "./posts/index.ts";
import { sqlitePublisherStore } from "./publishers/index.ts";
import { sqliteReportStore } from "./publishers/reports.ts";
import { sqliteSignInStore } from "./publishers/sign-ins.ts";
import { sqlitePushStore } from "./pushes/index.ts";
import { sqliteInboxStore } from "./subscriptions/inbox.ts";
import { sqliteSubscriptionStore } from "./subscriptions/index.ts";
import { sqliteTransferStore } from "./transfer.ts";

export default {
  async open(url, { model, log }) {
    const index = sqliteIndex(model);
    const store = await openSqlite(url, { index, log: (line) => log.info({}, line) });
    try {
      await index.open();
    } catch (error) {
      await store.close();
      throw refusalOf(store.file, error);
    }
    return {
      store,
      index: withFailures(index, store.connection),
      searchState: () => "local",
      close: () => store.close(),
    };
  },
  // Words are written through the index; it loads nothing, since nothing is searched.
  openStore: (url: string, log?: (line: string) => void) =>
    openSqlite(url, { index: sqliteIndex({ modelId: null, dimension: 16 }), ...(log && { log }) }),
  // A file without a byte is one that SQLite has just made, or all that a fault has left.
  exists: async (url) => (statSync(fileOf(url), { throwIfNoEntry: false })?.size ?? 0) > 0,
  setting: async (url, name) => settingInFile(fileOf(url), name),
  examine: examineSqlite,
} satisfies StoreModule;

/** Opens an index of the board's own rows. */
export const sqliteIndex = (
  model: IndexModel,
  options: Pick<EmbeddedOptions, "threadFrom" | "limits"> = {},
): EmbeddedIndex => {
  const worker = siblingOf(import.meta.url, "database/search-worker");
  return new EmbeddedIndex(model, { ...options, rows: sqliteIndexRows, worker });
};

/** Gives the index the store's failures: it reads the same file by statements of its own. */
function withFailures(index: SearchIndex, { reported }: SqliteConnection): SearchIndex {
  // When the search thread breaks, the error of the file is the cause.
  const failed = (error: unknown): never => {
    const { cause } = error as Error;
    return reported(error instanceof StoreUnavailable && sqliteCode(cause) !== null ? cause : error);
  };
  return { ready: () => index.ready(), ask: (what, ...of) => index.ask(what, ...of).catch(failed) };
}

/** Keeps a store in one SQLite file, with a second one beside it (`board.db` → `board-scratch.db`) for data that may be lost. */
export interface SqliteStore extends Store {
  readonly file: string;
  /** Backups and checks use it; changes go through the store. */
  readonly connection: SqliteConnection;
  /** Rebuilds the embedded index from the store; resolves to its number of posts. */
  reindex(): Promise<number>;
}

/**
 * Opens `sqlite:FILE`, creates file and folder where they are missing, and brings the tables up to date. Several processes
 * may open one file. An index that is new to the file, or newer than it, is filled before this resolves.
 *
 * @param options.log  called before and after the tables are upgraded or the index is filled
 * @throws Error with one line for the operator when the file cannot be used
 */
export async function openSqlite(
  url: string,
  options: { index: StoreIndex; log?: (line: string) => void },
): Promise<SqliteStore> {
  const file = fileOf(url);
  const { index, log } = options;
  let attached = false;
  const connection = await connectTo(file, () => {
    if (attached) index.committed();
  });
  const context: SqliteContext = { connection, index };
  let scratch: SqliteConnection | null = null;
  try {
    const parts: Part[] = [
      { name: "store", steps: STORE_MIGRATIONS },
      { name: "index", steps: index.migrations, upgraded: () => markStale(context) },
    ];
    await migrateSqlite(connection, file, parts, log);
    index.attach(connection.db);
    attached = true;
    if (isStale(context)) await fill(context, log);
    await finishRowErasures(context, 0);
    scratch = await openScratch(file.replace(/(\.[^./\\]*)?$/, "-scratch$1"));
  } catch (error) {
    await connection.close();
    throw refusalOf(file, error);
  }
  return storeOf(context, scratch, file);
}

function storeOf(context: SqliteContext, scratch: SqliteConnection, file: string): SqliteStore {
  const { connection } = context;
  return {
    file,
    connection,
    posts: sqlitePostStore(context),
    publishers: sqlitePublisherStore(context),
    signIns: sqliteSignInStore(context),
    subscriptions: sqliteSubscriptionStore(context),
    reports: sqliteReportStore(context),
    pushes: sqlitePushStore(context),
    inbox: sqliteInboxStore(context),
    work: sqliteWorkStore(context),
    limits: sqliteLimitStore(scratch),
    rankings: sqliteRankingStore(scratch),
    statistics: sqliteStatisticsStore(context),
    settings: sqliteSettingStore(context),
    leases: sqliteLeaseStore(context),
    transfer: sqliteTransferStore(context, file),
    finishErasures: () => finishRowErasures(context),
    async pruneExpired(now) {
      await pruneBefore(scratch, "window", ["key", "ends_at"], now + 1);
      await pruneBefore(scratch, "ranking", ["id", "expires_at"], now + 1);
      await pruneBefore(connection, "sign_in", ["id", "expires_at"], now + 1);
    },
    reindex: () => reindex(context),
    async ping() {
      const parts = await Promise.all([connection.ping(), scratch.ping()]);
      return { unwritable: parts.find(({ unwritable }) => unwritable !== null)?.unwritable ?? null };
    },
    async close() {
      await context.index.close();
      await Promise.all([connection.close(), scratch.close()]);
    },
  };
}

async function fill(context: SqliteContext, log: (line: string) => void = () => {}): Promise<void> {
  const isNew = context.connection.sql("SELECT 1 FROM post LIMIT 1").get() === undefined;
  if (!isNew) log("filling the search index; the board opens when that is done");
  const posts = await reindex(context);
  if (!isNew) log(`the search index is filled with ${posts} posts`);
}

async function connectTo(file: string, committed: () => void): Promise<SqliteConnection> {
  try {
    makeFolder(dirname(file));
    return await connectSqlite(file, "full", committed);
  } catch (error) {
    throw refusalOf(file, error);
  }
}

/** Tells the operator in one line why the file cannot be opened. */
function refusalOf(file: string, error: unknown): unknown {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (isDamaged(cause)) {
    return new Error(
      `${file} is damaged or no database. Restore a backup, or point STORE_URL at another file.`,
      { cause },
    );
  }
  if (!(error instanceof Error)) return error;
  if (error === cause && sqliteCode(error) === null && !("syscall" in error)) return error;
  const why = unwritableReason(file);
  return new Error(
    why === null
      ? `${file} cannot be opened (${error.message}). Check that its folder exists and can be written.`
      : `${file} cannot be opened: ${why}.`,
    { cause },
  );
}
