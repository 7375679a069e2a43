import type { ClientSession, Filter } from "mongodb";
import type { MongodbContext } from "../database/context.ts";
import { WINDOW_END } from "../database/posts.ts";
import type { PostDocument } from "../database/schema/documents.ts";

/** The counts of posts that publishers and roots keep, and the expiry of replies, changed in the posts' transactions. */

/** Subtracts removed or erased posts from the counts of their publishers, one for each time an id is given. */
export async function uncountPosts(
  { collections }: MongodbContext,
  session: ClientSession,
  publisherIds: readonly string[],
): Promise<void> {
  const posts = new Map<string, number>();
  for (const id of publisherIds) posts.set(id, (posts.get(id) ?? 0) + 1);
  if (posts.size === 0) return;
  await collections.publishers.bulkWrite(
    [...posts].map(([id, n]) => ({
      updateOne: { filter: { _id: id }, update: { $inc: { post_count: -n } } },
    })),
    { session },
  );
}

/** Brings `reply_count` and `last_reply_at` of roots in step with their active replies. */
export async function recountReplyDocuments(
  context: MongodbContext,
  session: ClientSession,
  rootIds: readonly string[],
): Promise<void> {
  if (rootIds.length === 0) return;
  const { posts } = context.collections;
  const counted = await posts
    .aggregate<{ _id: string; n: number; last: Date }>(
      [
        { $match: { ...repliesTo(context, rootIds), state: "active" } },
        { $group: { _id: "$parent_id", n: { $sum: 1 }, last: { $max: "$created_at" } } },
      ],
      { session },
    )
    .toArray();
  const counts = new Map(counted.map(({ _id, n, last }) => [_id, { reply_count: n, last_reply_at: last }]));
  await posts.bulkWrite(
    rootIds.map((id) => ({
      updateOne: {
        filter: { _id: id, root: id },
        update: { $set: counts.get(id) ?? { reply_count: 0, last_reply_at: null } },
      },
    })),
    { session },
  );
}

/** Gives the replies of a root, hidden ones too, its expiry; resolves to their ids. */
export async function moveReplyDocuments(
  context: MongodbContext,
  session: ClientSession,
  rootId: string,
  expiresAt: number,
): Promise<string[]> {
  const { posts } = context.collections;
  const expires = new Date(expiresAt);
  const moved = {
    ...repliesTo(context, [rootId]),
    state: { $ne: "removed" },
    expires_at: { $ne: expires },
  } as const;
  const replies = await posts.find(moved, { session, projection: { _id: 1 } }).toArray();
  if (replies.length === 0) return [];
  await posts.updateMany(moved, [{ $set: { expires_at: expires } }, { $set: WINDOW_END }], { session });
  return replies.map(({ _id }) => _id);
}

/** Replies in any state; behind mongos, only on the shards of their threads. */
export function repliesTo({ connection }: MongodbContext, rootIds: readonly string[]): Filter<PostDocument> {
  const of = { $in: rootIds };
  return { parent_id: of, ...(connection.sharded ? { root: of } : {}) };
}
