import { expect, it } from "vitest";
import { crashRun } from "../../bench/delivery-crash.ts";
import { ON_MONGODB } from "../support/boards/board.ts";
import { useFolder } from "../support/boards/use.ts";
import { startServer, stopServers } from "../support/mongodb/mongod.ts";

/** What a killed process wrote in a transaction is locked for a minute otherwise. */
const LOCKED_S = "--setParameter transactionLifetimeLimitSeconds=3";
/** The five posts that wait at the first kill are more than the fifty messages that a board has under way at once. */
const RECEIVERS = 15;
const folder = useFolder();

it("a board killed during delivery tells each post, change and series once, under one id, and sends nothing forbidden", async () => {
  const server = ON_MONGODB ? await startServer("replicaSet", folder, LOCKED_S) : null;
  const store = server !== null && "uri" in server ? { storeUrl: server.uri } : {};
  try {
    const run = await crashRun({ posts: 10, kills: 2, receivers: RECEIVERS, ...store });
    expect(run).toMatchObject({ matches: 195, changes: 30, missing: 0, unstable: 0, unasked: 0, erased: 0 });
  } finally {
    if (server !== null) await stopServers(folder);
  }
});
