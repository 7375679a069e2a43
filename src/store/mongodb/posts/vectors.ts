import { makerName, type PostStore, type VectorMaker, type WorkItem } from "../../../ports/store/index.ts";
import type { MongodbContext } from "../database/context.ts";
import { binaryOf, vectorOfBinary } from "../database/posts.ts";
import { findPosts } from "../database/reads.ts";
import { DUE_WORK, settleWork } from "../database/work.ts";

/**
 * Stores vectors inside their posts, each by one write that also ends its work, so that matching can begin: a restored post
 * and a rebuilt index need no model.
 */
export async function setVectorDocuments(
  context: MongodbContext,
  rows: Parameters<PostStore["setVectors"]>[0],
  settled: readonly WorkItem[],
): Promise<void> {
  const { connection, collections } = context;
  const tokens = new Map(settled.map(({ postId, token }) => [postId, token]));
  const kept = new Set(rows.map(({ id }) => id));
  const writes = rows.map(({ id, updatedAt, vector, ...maker }) => {
    const made = { vec_model: maker.model, vec_maker: makerName(maker), vec: binaryOf(vector) };
    const filter = { _id: id, updated_at: new Date(updatedAt), state: { $ne: "removed" } } as const;
    const token = tokens.get(id);
    const ended = { embed: { $cond: [{ $eq: ["$embed.token", token] }, "$$REMOVE", "$embed"] } };
    const fields = { ...made, match: DUE_WORK, ...(token === undefined ? {} : ended) };
    return { updateOne: { filter, update: [{ $set: fields }] } };
  });
  await connection.run(async () => {
    if (writes.length > 0) await collections.posts.bulkWrite(writes, { ordered: false });
    // What is left is of posts that got none: gone, or changed meanwhile.
    const left = settled.filter(({ postId }) => !kept.has(postId));
    await settleWork(context, undefined, left);
  });
  if (rows.length > 0) context.wrote({ posts: rows.map(({ id }) => id) });
}

/** Reads vectors in the order of `ids`, null where a post has none of the model. */
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
  { connection, collections: { posts } }: MongodbContext,
  maker: VectorMaker,
  limit: number,
): Promise<number> {
  const missing = {
    state: "active",
    vec_maker: { $ne: makerName(maker) },
    embed: { $exists: false },
  } as const;
  return connection.runLong(async () => {
    // Posts without a vector come first.
    const sort = { vec_maker: 1, _id: 1 } as const;
    const found = await posts.find(missing, { projection: { _id: 1 }, sort, limit }).toArray();
    if (found.length === 0) return 0;
    const { modifiedCount } = await posts.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, embed: { $exists: false } },
      { $set: { embed: DUE_WORK } },
    );
    return modifiedCount;
  });
}
