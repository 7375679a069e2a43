import { DatabaseSync } from "../../../src/platform/sqlite.ts";
import { indexEntryOf } from "../../../src/ports/index-entry.ts";
import { StandaloneIndex } from "../../../src/search/index/standalone.ts";
import { binaryOf, documentOfPost } from "../../../src/store/mongodb/database/posts.ts";
import type { MongodbStore } from "../../../src/store/mongodb/index.ts";
import { DIMENSION, MODEL, manyPosts, PUBLISHERS, vectorAt } from "../search/indexed-posts.ts";
import { aPublisher, T0 } from "../search/rows.ts";

const STANDINGS = PUBLISHERS.map((id, i) => ({ id, verified: i === 1 || i === 2, suspended: i === 2 }));

/** Writes the publishers and posts of `indexed-posts.ts` into a database, all at once and without the store. */
export async function fillMongodb(store: MongodbStore, count: number): Promise<void> {
  for (const { id, verified, suspended } of STANDINGS) {
    await store.publishers.insert(
      aPublisher(id, {
        keyHash: id,
        verifiedAt: verified ? T0 : null,
        suspendedAt: suspended ? T0 : null,
      }),
    );
  }
  const standing = new Map(STANDINGS.map((one) => [one.id as string, one]));
  const documents = manyPosts(count).map((post, i) => {
    const vector = vectorAt(i);
    const { verified = false, suspended = false } = standing.get(post.publisherId) ?? {};
    return {
      ...documentOfPost(post, { pub_verified: verified, pub_suspended: suspended }),
      ...(vector === null ? {} : { vec_model: MODEL, vec: binaryOf(vector) }),
    };
  });
  await store.collections.posts.insertMany(documents);
}

/** An embedded index in memory with the same posts. */
export function sameEmbedded(count: number): StandaloneIndex {
  const database = new DatabaseSync(":memory:");
  const index = new StandaloneIndex({ modelId: MODEL, dimension: DIMENSION });
  for (const statement of index.migrations) database.exec(statement);
  index.attach(database);
  database.exec("BEGIN");
  for (const { id, ...standing } of STANDINGS) index.putPublisher(id, standing);
  for (const [i, post] of manyPosts(count).entries()) {
    index.put(indexEntryOf(post));
    const vector = vectorAt(i);
    if (vector !== null) index.putVector(post.id, MODEL, vector);
  }
  database.exec("COMMIT");
  index.committed();
  return index;
}
