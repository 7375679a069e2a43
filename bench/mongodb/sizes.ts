import type { Document } from "mongodb";
import { ALL_PARTS, type StoredPost } from "../../src/ports/store/index.ts";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import { COLLECTIONS } from "../../src/store/mongodb/schema/collections.ts";
import type { Replica } from "../../src/store/mongodb/search/replica/index.ts";
import { DIMENSION, MODEL, postId } from "../support/board-fill.ts";
import { newPost, type Place } from "./operations.ts";

/** Bytes of a collection, for each of its documents. */
export interface CollectionSize {
  name: string;
  documents: number;
  /** As BSON, in memory and on the wire. */
  bson: number;
  /** On the disk, compressed, without indexes. */
  stored: number;
  indexes: number;
}

/** The sizes of a board's collections, empty ones left out. */
export async function collectionSizes({
  connection: { client, db },
}: MongodbStore): Promise<CollectionSize[]> {
  // Data that is only in memory has no size yet.
  await client.db("admin").command({ fsync: 1 });
  const sizes: CollectionSize[] = [];
  for (const name of COLLECTIONS) {
    const stats = await db
      .collection(name)
      .aggregate<Document>([{ $collStats: { storageStats: {} } }])
      .next();
    const { count, size, storageSize, totalIndexSize } = stats?.["storageStats"] ?? {};
    if (!(count > 0)) continue;
    sizes.push({
      name,
      documents: count,
      bson: size / count,
      stored: storageSize / count,
      indexes: totalIndexSize / count,
    });
  }
  return sizes;
}

const LIVES = 200;
/** Claims of other measurements end by then. */
const LEFT_WITHIN_MS = 30 * 86_400_000;

/** Bytes that the oplog takes for each post, from its insertion to the end of its matching, and for each reply. */
export async function oplogBytes(
  store: MongodbStore,
  place: Place,
): Promise<{ post: number; reply: number }> {
  // What other measurements left would be matched and embedded among these.
  for (const kind of ["match", "embed"] as const) {
    const all = { limit: 1_000_000, leaseMs: 1, now: place.now + LEFT_WITHIN_MS };
    await store.work.done(await store.work.claim(kind, all));
  }
  const lives = async (kind: number, root: (n: number) => string | null) => {
    const posts = Array.from({ length: LIVES }, (_, n) => newPost(kind * LIVES + n, root(n), place.now));
    return (await bytesOfOplog(store, () => live(store, posts, place.now))) / LIVES;
  };
  return {
    post: await lives(45_000, () => null),
    reply: await lives(45_001, (n) => postId((n * 5) % place.posts)),
  };
}

/** All writes of a lone instance for posts that match no standing query. */
async function live(store: MongodbStore, posts: readonly StoredPost[], now: number): Promise<void> {
  const matched = async () =>
    store.subscriptions.deliver([], (await store.shares?.unmatched(ALL_PARTS, posts.length)) ?? []);
  for (const post of posts) await store.posts.insert(post, { admit: () => now });
  await matched();
  const claimed = await store.work.claim("embed", { limit: posts.length, leaseMs: 3_600_000, now });
  await store.posts.setVectors(
    posts.map(({ id, updatedAt }) => ({
      id,
      updatedAt,
      model: MODEL,
      vector: new Int8Array(DIMENSION).fill(7),
    })),
    claimed,
  );
  await matched();
}

/** Bytes that a job adds to the oplog. */
export async function bytesOfOplog(
  { connection: { client } }: MongodbStore,
  job: () => Promise<void>,
): Promise<number> {
  const oplog = client.db("local").collection("oplog.rs", { readConcern: { level: "local" } });
  const before = await oplog.findOne({}, { sort: { $natural: -1 } });
  await job();
  const sum = await oplog
    .aggregate<{ bytes: number }>([
      { $match: { ts: { $gt: before?.["ts"] } } },
      { $group: { _id: null, bytes: { $sum: { $bsonSize: "$$ROOT" } } } },
    ])
    .next();
  return sum?.bytes ?? 0;
}

/**
 * Changes a second: of the stream alone, and as a returning replica takes them in.
 * @param reopen  opens the closed replica, ready or not
 */
export async function changeRates(
  store: MongodbStore,
  changes: number,
  reopen: () => Replica,
): Promise<{ streamed: number; takenIn: number }> {
  const place = await store.feed.here();
  const some = await store.collections.posts
    .find({}, { projection: { _id: 1 } })
    .limit(changes)
    .toArray();
  await store.collections.posts.updateMany(
    { _id: { $in: some.map(({ _id }) => _id) } },
    { $set: { updated_at: new Date() } },
  );
  const stop = new AbortController();
  const began = performance.now();
  let seen = 0;
  for await (const { posts } of store.feed.follow(place, stop.signal)) {
    seen += posts.length;
    if (seen >= some.length) stop.abort();
  }
  const streamedMs = performance.now() - began;
  const takenInMs = (await timeToReady(reopen)) - (await timeToReady(reopen));
  return { streamed: (some.length / streamedMs) * 1_000, takenIn: (some.length / takenInMs) * 1_000 };
}

async function timeToReady(reopen: () => Replica): Promise<number> {
  const began = performance.now();
  const replica = reopen();
  if (!(await replica.readyWithin(600_000))) throw new Error("the replica did not become ready");
  const tookMs = performance.now() - began;
  await replica.close();
  return tookMs;
}
