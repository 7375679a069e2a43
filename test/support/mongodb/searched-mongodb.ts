import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import {
  type MongodbIndex,
  type MongodbIndexOptions,
  openMongodbIndex,
} from "../../../src/store/mongodb/search/index.ts";
import { DIMENSION, MODEL } from "../search/indexed-posts.ts";
import { fillMongodb } from "./filled-mongodb.ts";
import { startServer, stopServers } from "./mongod.ts";
import { MongotStandIn } from "./mongot-stand-in.ts";

/** A mongod that searches by a stand-in for mongot, and a board's posts in it. */
export interface SearchedMongodb {
  mongot: MongotStandIn;
  store: MongodbStore;
  /** What indexes warned of since the last `closeIndexes`. */
  warnings: string[];
  /** An index beside the store, closed by `closeIndexes`. */
  open(options?: Partial<MongodbIndexOptions>): Promise<MongodbIndex>;
  /** One that mongot answers, since both of its indexes are made. */
  ready(options?: Partial<MongodbIndexOptions>): Promise<MongodbIndex>;
  /** Closes all indexes, and has mongot work as usual again. */
  closeIndexes(): Promise<void>;
  stop(): Promise<void>;
}

/** @param posts  how many of `indexed-posts.ts` the board has */
export async function startSearchedMongodb(posts: number): Promise<SearchedMongodb> {
  const folder = mkdtempSync(join(tmpdir(), "mongot-"));
  let uri = "";
  const mongot = await MongotStandIn.start(() => uri);
  const address = `127.0.0.1:${mongot.port}`;
  const parameters = `mongotHost=${address} searchIndexManagementHostAndPort=${address}`;
  const mongodArgs = parameters.replace(/\S+/g, "--setParameter $&");
  const started = await startServer("replicaSet", folder, mongodArgs);
  if ("missing" in started) throw new Error(started.missing);
  uri = started.uri;
  const store = await openMongodb(uri.replace("/?", "/board?monitorCommands=true&"));
  await fillMongodb(store, posts);
  const indexes: MongodbIndex[] = [];
  const warnings: string[] = [];

  const open = async (options: Partial<MongodbIndexOptions> = {}): Promise<MongodbIndex> => {
    const index = await openMongodbIndex(store, {
      folder: join(folder, "search"),
      modelId: MODEL,
      dimension: DIMENSION,
      search: "auto",
      log: { info() {}, warn: (_fields, message) => void warnings.push(message) },
      ...options,
    });
    indexes.push(index);
    return index;
  };
  const closeIndexes = async () => {
    await Promise.all(indexes.splice(0).map((index) => index.close()));
    mongot.workAsUsual();
    warnings.length = 0;
  };
  return {
    mongot,
    store,
    warnings,
    open,
    async ready(options) {
      if (mongot.indexes.size === 0) await open();
      const index = await open(options);
      if (index.state() !== "atlas") throw new Error(`The index answers by ${index.state()}.`);
      return index;
    },
    closeIndexes,
    async stop() {
      await closeIndexes();
      await store.close();
      await stopServers(folder);
      await mongot.stop();
    },
  };
}
