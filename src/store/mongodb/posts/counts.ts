import type { ClientSession, Filter } from "mongodb";
import type { MongodbContext } from "../database/context.ts";
import { WINDOW_END } from "../database/posts.ts";
import type { PostDocument } from "../database/schema/documents.ts";

/** The posts' transactions change the counts of posts that publishers and roots keep, and the expiry of replies. */

/** Subtracts removed or erased posts from the counts of their publishers. */
export async function uncountPosts(
  { collections }: MongodbContext,
  session: ClientSession,
  gone: readonly Pick<PostDocument, "publisher_id">[],
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { publisher_id } of gone) counts.set(publisher_id, (counts.get(publisher_id) ?? 0) + 1);
  for (const [_id, n] of counts)
    await collections.publishers.updateOne({ _id }, { $inc: { post_count: -n } }, { session });
}

/** Brings `reply_count` and `last_reply_at` of a root in step with its active replies. */
export async function recountReplyDocuments(
  context: MongodbContext,
  session: ClientSession,
  rootId: string,
): Promise<void> {
  const { posts } = context.collections;
  const [counted] = await posts
    .aggregate<Pick<PostDocument, "reply_count" | "last_reply_at">>(
      [
        { $match: { ...repliesTo(context, [rootId]), state: "active" } },
        { $group: { _id: null, reply_count: { $sum: 1 }, last_reply_at: { $max: "$created_at" } } },
        { $project: { _id: 0 } },
      ],
      { session },
    )
    .toArray();
  const update = { $set: counted ?? { reply_count: 0, last_reply_at: null } };
  await posts.updateOne({ _id: rootId, root: rootId }, update, { session });
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

/** Finds replies in any state; behind mongos, only on the shards of their threads. */
export function repliesTo({ connection }: MongodbContext, rootIds: readonly string[]): Filter<PostDocument> {
  const of = { $in: rootIds };
  return { parent_id: of, ...(connection.sharded ? { root: of } : {}) };
}
