import { setTimeout as sleep } from "node:timers/promises";
import type { Document } from "mongodb";
import {
  type InsertGuard,
  type InsertOptions,
  type PostStore,
  type StoredPost,
  StoreUnavailable,
  type ThreadRoot,
} from "../../../ports/store/index.ts";
import { replyWithin } from "../../rules/rows.ts";
import { markHours } from "../board/counts/marks.ts";
import { publisherDocumentStatus } from "../publishers/status.ts";
import type { PostDocument, PublisherDocument } from "../schema/documents.ts";
import { documentOfPost, postOfDocument, WINDOW_END } from "../schema/posts.ts";
import { isDuplicate, PATIENCE_MS } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { Gathered } from "../server/gathered.ts";
import { KeyedQueue } from "../server/keyed-queue.ts";
import { keyId, postWithKey, retrievalsOf } from "../server/reads.ts";
import { CONTENDED } from "../server/unavailable.ts";
import { enqueueing } from "../server/work.ts";
import { ChangedMeanwhile, changedMeanwhile, type Write, writeAll } from "../server/write-all.ts";
import { entryWritesOfReply, inboxesOfThread } from "../subscriptions/inbox.ts";
import { moveReplyDocuments } from "./counts.ts";
import { type FingerprintFields, fingerprintRowOf, fingerprintStages } from "./fingerprints.ts";
import type { Writer } from "./writers.ts";

/**
 * A new post is written by one command and its commit, together with those that other callers insert at the time. What it
 * depends on is read before, outside the transaction, or remembered of the publisher's last post; each document of it has
 * a counter, and the write misses when that has moved.
 */

/** Posts of one transaction, and such transactions under way at a time. */
const BATCH = { most: 50, atOnce: 2 } as const;
/** Longest pause before another look at what others are changing. */
const PAUSE_MS = 20;

/** A post as it will be written. */
interface Prepared {
  post: StoredPost;
  writes: Write[];
  /** The publisher as it was found. */
  writer: Writer;
  /** The root whose expiry, and that of its replies, moves to the post's. */
  moving: { id: string; createdAt: Date } | null;
}

/** See `PostStore.insert`. */
export function insertPostDocuments(context: MongodbContext): PostStore["insert"] {
  const { run } = context.connection;
  const queue = new KeyedQueue();
  const batches = new Gathered((batch: readonly Prepared[]) => writeBatch(context, batch), BATCH);

  /** Resolves to the post as it was written, and to the ids of the posts of its thread whose expiry moved. */
  const insertNew = async (sent: StoredPost, options: InsertOptions) => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const prepared = await prepare(context, sent, options);
      const { post, moving, writer } = prepared;
      try {
        const moved =
          moving === null ? await settled(batches.add(prepared)) : await writeAlone(context, prepared);
        context.writers.wrote(post.publisherId, writer, post);
        return { post, moved };
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
        if (performance.now() > deadline) throw new StoreUnavailable(CONTENDED, { cause: error });
        await sleep(Math.random() * PAUSE_MS);
      }
    }
  };

  return async (post, options = {}) => {
    if (post.state === "removed") throw new Error("A new post cannot be removed already.");
    const alone = [`publisher:${post.publisherId}`];
    if (post.parentId !== null) alone.push(`post:${post.parentId}`);
    try {
      const written = await run(() => queue.run(alone, () => insertNew(post, options)));
      context.wrote({ posts: [post.id, ...written.moved] });
      return { inserted: true, post: written.post };
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // The ids are unique, so that no look before the write is needed. Other reasons count only for a post that is new.
      const existing = await run(() => existingPost(context, post));
      if (existing !== null) return { inserted: false, post: existing };
      throw isDuplicate(error)
        ? new Error(`Post ${post.id} exists in another thread.`, { cause: error })
        : error;
    }
  };
}

type Outcome = PromiseSettledResult<string[]>;

/** Writes posts by one transaction; when that fails, each by one of its own, since the fault may be with one of them. */
async function writeBatch(context: MongodbContext, batch: readonly Prepared[]): Promise<Outcome[]> {
  try {
    const writes = batch.flatMap((prepared) => prepared.writes);
    await context.connection.transaction((session) => writeAll(context, session, writes));
    return batch.map(() => ({ status: "fulfilled", value: [] }));
  } catch (error) {
    if (batch.length === 1 || error instanceof StoreUnavailable) throw error;
    return Promise.allSettled(batch.map((prepared) => writeAlone(context, prepared)));
  }
}

function writeAlone(context: MongodbContext, { post, writes, moving }: Prepared): Promise<string[]> {
  return context.connection.transaction(async (session) => {
    await writeAll(context, session, writes);
    if (moving === null) return [];
    await markHours(context, session, [moving.createdAt]);
    return [moving.id, ...(await moveReplyDocuments(context, session, moving.id, post.expiresAt))];
  });
}

async function settled(outcome: Promise<Outcome>): Promise<string[]> {
  const known = await outcome;
  if (known.status === "rejected") throw known.reason;
  return known.value;
}

async function prepare(
  context: MongodbContext,
  sent: StoredPost,
  { admit, guard }: InsertOptions,
): Promise<Prepared> {
  const { id, publisherId, parentId, createdAt, idempotencyHash } = sent;
  const [writer, thread] = await Promise.all([
    context.writers.take(publisherId, guard) ?? lookAtPublisher(context, publisherId, guard),
    parentId === null ? null : lookAtThread(context, parentId),
  ]);
  const rootExpiresAt = thread === null ? 0 : Math.max(thread.root.expiresAt, admit?.(thread.root) ?? 0);
  guard?.check(writer.earlier);
  const post = thread === null ? sent : replyWithin(sent, rootExpiresAt);
  const retrieved = { filter: { _id: id }, update: { $set: { n: post.retrievals } }, upsert: true };
  const key = { _id: keyId(publisherId, idempotencyHash ?? ""), post_id: id };
  const writes: Write[] = [
    {
      to: "publishers",
      filter: { _id: publisherId, erasing: false, ...writer.seen },
      update: { $inc: { post_count: 1, inserts: 1 } },
      missed: changedMeanwhile,
    },
    ...(thread === null ? [] : [replyCount(thread, post)]),
    { to: "posts", insert: documentOfPost(post, publisherDocumentStatus(writer.seen)) },
    ...(idempotencyHash === null ? [] : [{ to: "post_keys", insert: key } as const]),
    ...(post.retrievals === 0 ? [] : [{ to: "retrievals", ...retrieved } as const]),
    enqueueing(id, ["match", "embed"], createdAt),
    ...(thread === null ? [] : entryWritesOfReply({ id, publisherId, at: createdAt }, thread)),
  ];
  const moving = thread === null || rootExpiresAt === thread.root.expiresAt ? null : thread;
  return { post, writes, writer, moving };
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
  createdAt: Date;
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
        $project: {
          publisher_id: 1,
          kind: 1,
          state: 1,
          reply_count: 1,
          replies_inserted: 1,
          expires_at: 1,
          created_at: 1,
        },
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
  const { publisher_id, kind, state, reply_count, expires_at, created_at, replies_inserted = null } = found;
  const suspended = found.owner.some(({ suspended_at }) => suspended_at !== null);
  return {
    id: rootId,
    createdAt: created_at,
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
