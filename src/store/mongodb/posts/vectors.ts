import type { Filter } from "mongodb";
import type { PostStore, VectorMaker, WorkItem } from "../../../ports/store/index.ts";
import { makerName } from "../../../ports/vector-maker.ts";
import type { PostDocument } from "../schema/documents.ts";
import { binaryOf, vectorOfBinary } from "../schema/posts.ts";
import { stampAt } from "../schema/stamps.ts";
import type { MongodbContext } from "../server/context.ts";
import { findPosts } from "../server/reads.ts";
import { adoptFormerWork, embedding, settleWork } from "../server/work.ts";
import { type Write, writeAll } from "../server/write-all.ts";

/** Vectors written in one transaction: when one post meets an edit, all are tried again. */
const VECTORS_PER_WRITE = 50;
/** Posts looked at in one round trip. */
const POSTS_PER_LOOK = 1000;

/** Stores vectors inside their posts: a restored post and a rebuilt index need no model. */
export async function setVectorDocuments(
  context: MongodbContext,
  rows: Parameters<PostStore["setVectors"]>[0],
  settled: readonly WorkItem[],
): Promise<void> {
  const { connection } = context;
  const claims = new Map(settled.map((item) => [item.postId, item]));
  for (let start = 0; start < rows.length; start += VECTORS_PER_WRITE) {
    const some = rows.slice(start, start + VECTORS_PER_WRITE);
    const ids = some.map(({ id }) => id);
    const kept = await connection.write(
      ids.map((id) => `post:${id}`),
      async (session) => {
        const found = await findPosts(context, ids, session, { root: 1, state: 1, updated_at: 1 });
        const valid = some.flatMap((row) => {
          const post = found.get(row.id);
          const same = post?.state !== "removed" && post?.updated_at.getTime() === row.updatedAt;
          return post !== undefined && same ? [{ ...row, root: post.root }] : [];
        });
        if (valid.length === 0) return [];
        const writes = valid.flatMap(({ id, root, updatedAt, vector, ...maker }): Write[] => {
          const made = { vec_model: maker.model, vec_maker: makerName(maker), vec: binaryOf(vector) };
          return [
            { to: "posts", filter: { _id: id, root }, update: { $set: made } },
            embedding(id, updatedAt, claims.get(id)),
          ];
        });
        await writeAll(context, session, writes);
        return valid.map(({ id }) => id);
      },
    );
    for (const id of kept) claims.delete(id);
    if (kept.length > 0) context.wrote({ posts: kept });
  }
  // Of posts that are gone, and of those that changed: they have another stamp.
  await connection.run(() => settleWork(context, undefined, [...claims.values()]));
}

/** In the order of `ids`, null where a post has no vector of the model. */
export async function readVectorDocuments(
  context: MongodbContext,
  ids: readonly string[],
  model: string,
): Promise<(Int8Array | null)[]> {
  const posts = await findPosts(context, ids, undefined, { vec: 1, vec_model: 1 });
  return ids.map((id) => {
    const post = posts.get(id);
    return post?.vec === undefined || post.vec_model !== model ? null : vectorOfBinary(post.vec);
  });
}

/** Skips posts that are already in the queue, so that repeated calls make progress. */
export async function enqueueMissingVectorDocuments(
  context: MongodbContext,
  maker: VectorMaker,
  limit: number,
): Promise<number> {
  const { connection, collections } = context;
  await connection.runLong(() => adoptFormerWork(context));
  const made = makerName(maker);
  let count = 0;
  // Posts without a vector, then those of makers before and after this one: three walks of one index.
  for (const vec_maker of [null, { $lt: made }, { $gt: made }]) {
    const missing: Filter<PostDocument> = { state: "active", vec_maker };
    await connection.runLong(async () => {
      const posts = collections.posts
        .find(missing, { projection: { vec_maker: 1, updated_at: 1 }, batchSize: POSTS_PER_LOOK })
        .sort({ vec_maker: 1, _id: 1 });
      try {
        while (count < limit && (await posts.hasNext())) {
          const looked = posts.readBufferedDocuments(POSTS_PER_LOOK);
          count += await enqueueThose(context, looked, limit - count);
        }
      } finally {
        await posts.close();
      }
    });
  }
  return count;
}

/** Enqueues those that are not in the queue, at most `most`; resolves to how many. */
async function enqueueThose(
  { collections: { work } }: MongodbContext,
  posts: readonly Pick<PostDocument, "_id" | "updated_at">[],
  most: number,
): Promise<number> {
  const ids = posts.map(({ _id }) => _id);
  const found = await work.find({ _id: { $in: ids } }, { projection: { embed: 1 } }).toArray();
  const known = new Set(found.flatMap(({ _id, embed }) => (embed === undefined ? [] : [_id])));
  const missing = posts.filter(({ _id }) => !known.has(_id)).slice(0, most);
  if (missing.length === 0) return 0;
  const { upsertedCount, modifiedCount } = await work.bulkWrite(
    missing.map(({ _id, updated_at }) => ({
      updateOne: {
        filter: { _id },
        // One that was enqueued meanwhile stays as it is.
        update: [{ $set: { embed: { $ifNull: ["$embed", stampAt(updated_at.getTime())] } } }],
        upsert: true,
      },
    })),
    { ordered: false },
  );
  return upsertedCount + modifiedCount;
}
