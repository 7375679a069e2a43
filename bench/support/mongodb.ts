import { MongoClient } from "mongodb";
import { type ServerKind, startServer, testServers } from "../../test/support/mongodb/mongod.ts";

/** @param url  with the name of the database, which need not exist */
export async function dropDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  await client.db(new URL(url).pathname.slice(1)).dropDatabase();
  await client.close();
}

/** Measures with a database: the one that is named, or an empty one of a server of that kind that runs meanwhile. */
export async function withDatabase(
  named: string | undefined,
  measure: (url: string) => Promise<void>,
  kind: ServerKind = "replicaSet",
): Promise<void> {
  if (named !== undefined) return measure(named);
  const { folder, stop } = await testServers();
  try {
    const server = await startServer(kind, folder);
    if ("missing" in server) throw new Error(server.missing);
    const url = new URL(server.uri);
    url.pathname = "/bench";
    await measure(url.href);
  } finally {
    await stop();
  }
}
