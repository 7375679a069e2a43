import type { ClientSession, Document } from "mongodb";
import type { FingerprintRow, InsertGuard, StoredPost } from "../../../ports/store/index.ts";
import { replyWithin } from "../../rules/rows.ts";
import { publisherDocumentStatus } from "../publishers/status.ts";
import type { PostDocument, PublisherDocument } from "../schema/documents.ts";
import { documentOfPost, postOfDocument, WINDOW_END } from "../schema/posts.ts";
import { isDuplicate } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { keyId, postWithKey, retrievalsOf } from "../server/reads.ts";
import { freshWork, workId } from "../server/work.ts";
import { changedMeanwhile, type Write, writeAll } from "../server/write-all.ts";
import { entryWritesOfReply, inboxesOfThread } from "../subscriptions/inbox.ts";
import { moveReplyDocuments } from "./counts.ts";
import { type FingerprintFields, fingerprintRowOf, fingerprintStages } from "./fingerprints.ts";

/**
 * A new post is written by one command and its commit. What it depends on is read before, outside the transaction; each
 * document that was read has a counter, and the write misses when that has moved.
 */

interface InsertOptions {
  parentExpiresAt?: number;
  guard?: InsertGuard;
}

/** @throws Error when the publisher, or the parent of a reply, is gone */
export async function insertPostDocument(
  context: MongodbContext,
  post: StoredPost,
  options: InsertOptions,
): Promise<{ inserted: boolean; post: StoredPost }> {
  if (post.state === "removed") throw new Error("A new post cannot be removed already.");
  const alone = [`publisher:${post.publisherId}`];
  if (post.parentId !== null) alone.push(`post:${post.parentId}`);
  try {
    const written = await context.connection.write(alone, (session) =>
      insertNew(context, session, post, options),
    );
    context.wrote({ posts: [post.id, ...written.moved] });
    return { inserted: true, post: written.post };
  } catch (error) {
    // The ids are unique, so that no look before the write is needed. Other reasons count only for a post that is new.
    const existing = await context.connection.run(() => existingPost(context, post));
    if (existing !== null) return { inserted: false, post: existing };
    throw isDuplicate(error)
      ? new Error(`Post ${post.id} exists in another thread.`, { cause: error })
      : error;
  }
}

/** Resolves to the post as it was written, and to the ids of the posts of its thread whose expiry moved. */
async function insertNew(
  context: MongodbContext,
  session: ClientSession,
  sent: StoredPost,
  { parentExpiresAt = 0, guard }: InsertOptions,
): Promise<{ post: StoredPost; moved: string[] }> {
  const { id, publisherId, parentId, createdAt, idempotencyHash } = sent;
  const [publisher, thread] = await Promise.all([
    lookAtPublisher(context, publisherId, guard),
    parentId === null ? null : lookAtThread(context, parentId),
  ]);
  guard?.check(publisher.earlier);
  const rootExpiresAt = Math.max(parentExpiresAt, thread?.expiresAt ?? 0);
  const post = thread === null ? sent : replyWithin(sent, rootExpiresAt);
  const work = (kind: "match" | "embed"): Write => ({
    to: "work",
    filter: { _id: workId(kind, id) },
    update: { $set: freshWork(kind, id, createdAt) },
    upsert: true,
  });
  await writeAll(context, session, [
    {
      to: "publishers",
      filter: { _id: publisherId, erasing: false, ...publisher.seen },
      update: { $inc: { post_count: 1, inserts: 1 } },
      missed: changedMeanwhile,
    },
    ...(thread === null ? [] : [replyCount(thread, post)]),
    { to: "posts", insert: documentOfPost(post, publisher.status) },
    ...(idempotencyHash === null
      ? []
      : [{ to: "post_keys", insert: { _id: keyId(publisherId, idempotencyHash), post_id: id } } as const]),
    ...(post.retrievals === 0
      ? []
      : [
          {
            to: "retrievals",
            filter: { _id: id },
            update: { $set: { n: post.retrievals } },
            upsert: true,
          } as const,
        ]),
    work("match"),
    work("embed"),
    ...(thread === null ? [] : entryWritesOfReply({ id, publisherId, at: createdAt }, thread)),
  ]);
  if (thread === null || rootExpiresAt === thread.expiresAt) return { post, moved: [] };
  const moved = await moveReplyDocuments(context, session, thread.id, rootExpiresAt);
  return { post, moved: [thread.id, ...moved] };
}

/**
 * A publisher's status, what must not have changed when the post is written, and its earlier posts for the guard: at least
 * those counted in `inserts`.
 * @throws Error when the publisher is gone or being erased
 */
async function lookAtPublisher({ collections }: MongodbContext, publisherId: string, guard?: InsertGuard) {
  const [publisher] = await collections.publishers
    .aggregate<PublisherDocument & { earlier?: FingerprintFields[] }>([
      { $match: { _id: publisherId, erasing: false } },
      { $project: { verified_at: 1, suspended_at: 1, inserts: 1 } },
      ...(guard === undefined
        ? []
        : [{ $lookup: { from: "posts", pipeline: fingerprintStages(publisherId, guard), as: "earlier" } }]),
    ])
    .toArray();
  if (publisher === undefined) throw new Error(`Publisher ${publisherId} is gone; its post was not kept.`);
  const { inserts = null, verified_at, suspended_at, earlier = [] } = publisher;
  const rows: FingerprintRow[] = earlier.map(fingerprintRowOf);
  const seen = { inserts, verified_at, suspended_at };
  return { status: publisherDocumentStatus(publisher), seen, earlier: rows };
}

interface Thread {
  id: string;
  publisherId: string;
  /** Replies inserted so far; null before the first. */
  replies: number | null;
  expiresAt: number;
  /** Publishers with an active reply. */
  repliers: string[];
  /** Number of the last entry in each open inbox of those who may hear of a reply. */
  inboxes: Map<string, number>;
}

/** @throws Error when the root is gone or removed */
async function lookAtThread({ connection, collections }: MongodbContext, rootId: string): Promise<Thread> {
  const [root] = await collections.posts
    .aggregate<PostDocument & { repliers: string[]; inboxes: { _id: string; no: number }[] }>([
      { $match: { _id: rootId, root: rootId, state: { $ne: "removed" } } },
      { $project: { publisher_id: 1, replies_inserted: 1, expires_at: 1 } },
      ...inboxesOfThread(connection.sharded, rootId),
    ])
    .toArray();
  if (root === undefined) throw new Error(`Post ${rootId} is gone; the reply to it was not kept.`);
  const { publisher_id, replies_inserted = null, repliers } = root;
  const expiresAt = root.expires_at.getTime();
  const inboxes = new Map(root.inboxes.map(({ _id, no }) => [_id, no]));
  return { id: rootId, publisherId: publisher_id, replies: replies_inserted, expiresAt, repliers, inboxes };
}

/** Counts a new reply for its root, and moves the root's expiry to that of the reply. */
function replyCount(thread: Thread, reply: StoredPost): Write {
  const active = reply.state === "active";
  const update: Document[] = [
    {
      $set: {
        reply_count: { $add: ["$reply_count", active ? 1 : 0] },
        replies_inserted: { $add: [{ $ifNull: ["$replies_inserted", 0] }, 1] },
        // $max passes over null.
        last_reply_at: { $max: ["$last_reply_at", active ? new Date(reply.createdAt) : null] },
        expires_at: new Date(reply.expiresAt),
      },
    },
    { $set: WINDOW_END },
  ];
  const { id, replies, expiresAt } = thread;
  const seen = { replies_inserted: replies, expires_at: new Date(expiresAt) };
  const filter = { _id: id, root: id, state: { $ne: "removed" }, ...seen };
  return { to: "posts", filter, update, missed: changedMeanwhile };
}

/** The post that already has this id, sought in its own thread only, or this idempotency key. */
async function existingPost(context: MongodbContext, post: StoredPost): Promise<StoredPost | null> {
  const there = { _id: post.id, root: post.parentId ?? post.id };
  const found =
    (await context.collections.posts.findOne(there, { projection: { vec: 0 } })) ??
    (post.idempotencyHash === null
      ? null
      : await postWithKey(context, post.publisherId, post.idempotencyHash));
  if (found === null) return null;
  const retrievals = await retrievalsOf(context, [found._id]);
  return postOfDocument(found, retrievals.get(found._id) ?? 0);
}
