import type { ClientSession, Document } from "mongodb";
import type { InsertGuard, InsertOptions, StoredPost, ThreadRoot } from "../../../ports/store/index.ts";
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
import type { Writer } from "./writers.ts";

/**
 * A new post is written by one command and its commit. What it depends on is read before, outside the transaction, or
 * remembered of the publisher's last post; each document of it has a counter, and the write misses when that has moved.
 */

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
    const written = await context.connection.write(
      alone,
      (session) => insertNew(context, session, post, options),
      ({ writer }) => context.writers.wrote(post.publisherId, writer, post),
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

interface Written {
  post: StoredPost;
  /** Ids of the posts of its thread whose expiry moved. */
  moved: string[];
  /** The publisher as the insertion found it. */
  writer: Writer;
}

async function insertNew(
  context: MongodbContext,
  session: ClientSession,
  sent: StoredPost,
  { admit, guard }: InsertOptions,
): Promise<Written> {
  const { id, publisherId, parentId, createdAt, idempotencyHash } = sent;
  const [writer, thread] = await Promise.all([
    context.writers.take(publisherId, guard) ?? lookAtPublisher(context, publisherId, guard),
    parentId === null ? null : lookAtThread(context, parentId),
  ]);
  const rootExpiresAt = thread === null ? 0 : Math.max(thread.root.expiresAt, admit?.(thread.root) ?? 0);
  guard?.check(writer.earlier);
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
      filter: { _id: publisherId, erasing: false, ...writer.seen },
      update: { $inc: { post_count: 1, inserts: 1 } },
      missed: changedMeanwhile,
    },
    ...(thread === null ? [] : [replyCount(thread, post)]),
    { to: "posts", insert: documentOfPost(post, publisherDocumentStatus(writer.seen)) },
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
  if (thread === null || rootExpiresAt === thread.root.expiresAt) return { post, moved: [], writer };
  const moved = await moveReplyDocuments(context, session, thread.id, rootExpiresAt);
  return { post, moved: [thread.id, ...moved], writer };
}

/** @throws Error when the publisher is gone or being erased */
async function lookAtPublisher(
  { collections }: MongodbContext,
  publisherId: string,
  guard: InsertGuard | undefined,
): Promise<Writer> {
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
  const seen = { inserts, verified_at, suspended_at };
  return { seen, earlier: earlier.map(fingerprintRowOf), bounds: guard ?? null };
}

interface Thread {
  id: string;
  publisherId: string;
  root: ThreadRoot;
  /** Replies inserted so far; null before the first. */
  replies: number | null;
  /** Publishers with an active reply. */
  repliers: string[];
  /** Number of the last entry in each open inbox of those who may hear of a reply. */
  inboxes: Map<string, number>;
}

type FoundThread = PostDocument & {
  owner: Pick<PublisherDocument, "suspended_at">[];
  repliers: string[];
  inboxes: { _id: string; no: number }[];
};

/** @throws Error when the root is gone, removed or a reply itself */
async function lookAtThread({ connection, collections }: MongodbContext, rootId: string): Promise<Thread> {
  const [found] = await collections.posts
    .aggregate<FoundThread>([
      { $match: { _id: rootId, root: rootId, state: { $ne: "removed" } } },
      {
        $project: { publisher_id: 1, kind: 1, state: 1, reply_count: 1, replies_inserted: 1, expires_at: 1 },
      },
      {
        $lookup: {
          from: "publishers",
          localField: "publisher_id",
          foreignField: "_id",
          pipeline: [{ $project: { suspended_at: 1 } }],
          as: "owner",
        },
      },
      ...inboxesOfThread(connection.sharded, rootId),
    ])
    .toArray();
  if (found === undefined) throw new Error(`Post ${rootId} is gone; the reply to it was not kept.`);
  const { publisher_id, kind, state, reply_count, expires_at, replies_inserted = null } = found;
  const suspended = found.owner.some(({ suspended_at }) => suspended_at !== null);
  return {
    id: rootId,
    publisherId: publisher_id,
    root: { kind, state, replyCount: reply_count, expiresAt: expires_at.getTime(), suspended },
    replies: replies_inserted,
    repliers: found.repliers,
    inboxes: new Map(found.inboxes.map(({ _id, no }) => [_id, no])),
  };
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
  const { id, replies, root } = thread;
  const seen = { replies_inserted: replies, expires_at: new Date(root.expiresAt) };
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
