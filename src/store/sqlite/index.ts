import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../../ports/store/index.ts";
import { EmbeddedIndex } from "../../search-index/index.ts";
import type { StoreModule } from "../module.ts";
import { limitStore, openScratch, rankingStore } from "./board/scratch.ts";
import { leaseStore, settingStore } from "./board/settings.ts";
import { statisticsStore } from "./board/statistics.ts";
import { type Connection, connect, isDamaged, sqliteCode } from "./database/connection.ts";
import { NO_INDEX, type Parts, type StoreIndex } from "./database/context.ts";
import { examineSqlite } from "./database/examine.ts";
import { fileOf } from "./database/file.ts";
import { migrate, STORE_MIGRATIONS, versionOf } from "./database/migrations.ts";
import { isStale, markStale, reindex } from "./database/reindex.ts";
import { workStore } from "./database/work.ts";
import { finishErasures } from "./posts/erasure.ts";
import { postStore } from "./posts/index.ts";
import { publisherStore } from "./publishers/index.ts";
import { reportStore } from "./publishers/reports.ts";
import { inboxStore } from "./subscriptions/inbox.ts";
import { subscriptionStore } from "./subscriptions/index.ts";
import { transferStore } from "./transfer/index.ts";
import { pushStore } from "./webhooks/index.ts";

export default {
  async open(url, { model, log }) {
    const index = new EmbeddedIndex(model);
    const store = await openSqlite(url, { index, log: (line) => log.info({}, line) });
    return { store, index, searchState: () => "local", close: () => store.close() };
  },
  // Posts and vectors are written through the index; it loads no vectors, since nothing is searched.
  openStore: (url) => openSqlite(url, { index: new EmbeddedIndex({ modelId: null, dimension: 16 }) }),
  examine: examineSqlite,
} satisfies StoreModule;

/** A store in one SQLite file, with a second one beside it (`board.db` → `board-scratch.db`) for what may be lost. */
export interface SqliteStore extends Store {
  readonly file: string;
  /** For backups and checks; what changes the board goes through the store. */
  readonly connection: Connection;
  /** Rebuilds the embedded index from the store; resolves to how many posts are in it. */
  reindex(): Promise<number>;
}

/**
 * Opens `sqlite:FILE`, creating file and folder where they are missing, and brings its tables up to date. Several
 * processes may open one file. An index that is new to the file, or newer than it, is filled before this resolves.
 *
 * @param options.index  null for a board without search; refused once the file has an index, which would fall behind
 * @param options.log  told before and after the index is filled
 * @throws Error with one line for the operator when the file cannot be used
 */
export async function openSqlite(
  url: string,
  options: { index: StoreIndex | null; log?: (line: string) => void },
): Promise<SqliteStore> {
  const file = fileOf(url);
  const index = options.index ?? NO_INDEX;
  let attached = false;
  const connection = await connectTo(file, () => {
    if (attached) index.committed();
  });
  const parts: Parts = { connection, index };
  let scratch: Connection | null = null;
  try {
    await migrate(connection, "store", STORE_MIGRATIONS, file);
    if (options.index === null) {
      if (versionOf(connection, "index") > 0)
        throw new Error(`${file} has a search index; open it with one.`);
    } else {
      await migrate(connection, "index", index.migrations, file, () => markStale(parts));
      index.attach(connection.db);
      attached = true;
      if (isStale(parts)) await fill(parts, options.log);
    }
    await finishErasures(parts);
    scratch = await openScratch(file.replace(/(\.[^./\\]*)?$/, "-scratch$1"));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return storeOf(parts, scratch, file);
}

function storeOf(parts: Parts, scratch: Connection, file: string): SqliteStore {
  const { connection } = parts;
  return {
    file,
    connection,
    posts: postStore(parts),
    publishers: publisherStore(parts),
    subscriptions: subscriptionStore(parts),
    reports: reportStore(parts),
    pushes: pushStore(parts),
    inbox: inboxStore(parts),
    work: workStore(parts),
    limits: limitStore(scratch),
    rankings: rankingStore(scratch),
    statistics: statisticsStore(parts),
    settings: settingStore(parts),
    leases: leaseStore(parts),
    transfer: transferStore(parts, file),
    reindex: () => reindex(parts),
    async ping() {
      await connection.read(() => connection.sql("SELECT version FROM agent_board_version LIMIT 1").get());
    },
    async close() {
      await Promise.all([connection.close(), scratch.close()]);
    },
  };
}

async function fill(parts: Parts, log: (line: string) => void = () => {}): Promise<void> {
  const isNew = parts.connection.sql("SELECT 1 FROM post LIMIT 1").get() === undefined;
  if (!isNew) log("filling the search index; the board opens when that is done");
  const posts = await reindex(parts);
  if (!isNew) log(`the search index is filled with ${posts} posts`);
}

async function connectTo(file: string, committed: () => void): Promise<Connection> {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return await connect(file, "full", committed);
  } catch (error) {
    if (isDamaged(error)) {
      throw new Error(
        `${file} is damaged or no database. Restore a backup, or point STORE_URL at another file.`,
        { cause: error },
      );
    }
    if (!(error instanceof Error) || (sqliteCode(error) === null && !("syscall" in error))) throw error;
    throw new Error(
      `${file} cannot be opened (${error.message}). Check that its folder exists and can be written.`,
      {
        cause: error,
      },
    );
  }
}
