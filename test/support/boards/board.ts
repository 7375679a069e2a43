import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { buildApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import { Site } from "../../../src/domain/site.ts";
import { type OpenBoard, openBoard } from "../../../src/open-board.ts";
import type { Outbound } from "../../../src/ports/outbound.ts";
import { borrowDatabase } from "../mongodb/mongodb.ts";

/** What holds no promise of a store is tested on SQLite alone: `it.skipIf(ON_MONGODB)`. */
export const ON_MONGODB = process.env["TEST_STORE"] === "mongodb";

/** A whole board for a test: a real store in its own folder, a real listener on a free port of 127.0.0.1. */
export interface TestBoard {
  /** Site root, such as http://127.0.0.1:41234. */
  url: string;
  api: string;
  board: OpenBoard;
  dataDir: string;
  /** Everything the board logged, line by line. */
  logs: string[];
  /** Every byte in the files of its data folder (as Latin-1), and every document of a database elsewhere. */
  contents(): Promise<string>;
  /** Resolves when the counts kept in memory are written. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a board, without embeddings and limits unless `environment` sets them. With `TEST_STORE=mongodb`, as in the
 * second project of vitest.config.ts, the board runs on this run's replica set.
 *
 * @param environment  variables of the board; they override the defaults of tests
 * @param options.clock  replaces the system's clock
 * @param options.dataDir  a folder to share with other processes; not removed at the stop
 * @param options.hub  where models are downloaded from
 * @param options.outbound  makes the board's calls to others
 * @param options.idle  turns off everything besides answering: no matching, no sending, no scheduled jobs
 */
export async function startBoard(
  environment: Record<string, string> = {},
  options: {
    clock?: () => number;
    dataDir?: string;
    hub?: string;
    outbound?: Outbound;
    idle?: boolean;
  } = {},
): Promise<TestBoard> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "board-")));
  const server = createServer();
  // The server keeps idle connections open. Otherwise, after a test has used the processor for seconds, its next request
  // could go out on a connection that is just closing.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = ON_MONGODB ? await borrowDatabase(dataDir) : null;
  const config = readConfig({
    DATA_DIR: dataDir,
    EMBEDDINGS: "off",
    RATE_LIMITS: "off",
    ...(process.env["MODEL_DIR"] === undefined ? {} : { MODEL_DIR: process.env["MODEL_DIR"] }),
    ...(database === null ? {} : { STORE_URL: database.url }),
    ...environment,
  });
  const logs: string[] = [];
  const logger = pino({ level: config.logLevel }, { write: (line: string) => void logs.push(line) });
  const clock = options.clock;
  const board = await openBoard(config, {
    logger,
    site: new Site(config.siteUrl ?? url, {
      contact: config.contact,
      identity: config.identity,
      signIn: config.signIn,
    }),
    ...(clock === undefined ? {} : { clock }),
    ...(options.hub === undefined ? {} : { hub: options.hub }),
    ...(options.outbound === undefined ? {} : { outbound: options.outbound }),
  });
  server.on("request", buildApp(board));
  if (options.idle !== true) board.start();
  return {
    url,
    api: `${url}/api/v1`,
    board,
    dataDir,
    logs,
    contents: async () => (await bytesIn(dataDir)) + ((await database?.contents()) ?? ""),
    flush: () => board.usage.flush(),
    async stop() {
      await closed(server);
      await board.close();
      // A given folder, and its database, may be opened again.
      if (options.dataDir !== undefined) return;
      await database?.giveBack();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function bytesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const bytes = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")),
  );
  return bytes.join("\n");
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
