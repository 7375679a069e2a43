import { MongoClient } from "mongodb";

/** @param url  with the name of the database, which need not exist */
export async function dropDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  await client.db(new URL(url).pathname.slice(1)).dropDatabase();
  await client.close();
}
