import type { ClientSession, Filter } from "mongodb";
import type { StoredPost } from "../../../ports/store/index.ts";
import { publisherDocumentStatus } from "../publishers/status.ts";
import type { PostDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";

/** The counts of posts that publishers and roots keep, changed in the posts' transactions. */

/**
 * Counts a new post for its publisher, and resolves to the publisher's status.
 * @throws Error when the publisher is gone or being erased
 */
export async function countPost(
  { collections }: MongodbContext,
  session: ClientSession,
  publisherId: string,
): Promise<{ verified: boolean; suspended: boolean }> {
  const publisher = await collections.publishers.findOneAndUpdate(
    { _id: publisherId, erasing: false },
    { $inc: { post_count: 1 } },
    { session, projection: { verified_at: 1, suspended_at: 1 } },
  );
  if (publisher === null) throw new Error(`Publisher ${publisherId} is gone; its post was not kept.`);
  return publisherDocumentStatus(publisher);
}

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

/**
 * Counts a new reply for its root, and moves the root's expiry forward.
 * @throws Error when the root is gone or removed
 */
export async function countReply(
  { collections }: MongodbContext,
  session: ClientSession,
  rootId: string,
  reply: Pick<StoredPost, "state" | "createdAt">,
  rootExpiresAt: number | null,
): Promise<{ id: string; publisherId: string }> {
  const active = reply.state === "active";
  const root = await collections.posts.findOneAndUpdate(
    { _id: rootId, root: rootId, state: { $ne: "removed" } },
    [
      {
        $set: {
          reply_count: { $add: ["$reply_count", active ? 1 : 0] },
          // $max passes over null.
          last_reply_at: { $max: ["$last_reply_at", active ? new Date(reply.createdAt) : null] },
          expires_at: { $max: ["$expires_at", rootExpiresAt === null ? null : new Date(rootExpiresAt)] },
        },
      },
      { $set: { win_end: { $ifNull: ["$ends_at", "$starts_at", "$expires_at"] } } },
    ],
    { session, projection: { publisher_id: 1 } },
  );
  if (root === null) throw new Error(`Post ${rootId} is gone; the reply to it was not kept.`);
  return { id: root._id, publisherId: root.publisher_id };
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

/** Replies in any state; behind mongos, only on the shards of their threads. */
export function repliesTo({ connection }: MongodbContext, rootIds: readonly string[]): Filter<PostDocument> {
  const of = { $in: rootIds };
  return { parent_id: of, ...(connection.sharded ? { root: of } : {}) };
}
