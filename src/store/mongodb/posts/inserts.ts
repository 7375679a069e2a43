import type { ClientSession } from "mongodb";
import {
  type FingerprintRow,
  type InsertGuard,
  type InsertOptions,
  NEVER_SHOWN,
  type PostStore,
  type StoredPost,
  StoreUnavailable,
  type ThreadRoot,
} from "../../../ports/store/index.ts";
import { replyWithin } from "../../rules/rows.ts";
import { isDuplicate } from "../database/connection.ts";
import type { MongodbContext } from "../database/context.ts";
import { documentOfPost, postOfDocument, statusFields, WINDOW_END } from "../database/posts.ts";
import { postWithKey } from "../database/reads.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { DUE_WORK } from "../database/work.ts";
import { lastChange } from "../subscriptions/changes.ts";
import { addReplyEntries } from "../subscriptions/inbox.ts";
import { moveReplyDocuments } from "./counts.ts";

/** See `PostStore.insert`. Ids and keys are unique, so that no look before the write is needed. */
export function insertPostDocuments(context: MongodbContext): PostStore["insert"] {
  const { run, write } = context.connection;
  return async (post, { guard, admit } = {}) => {
    if (post.state === "removed") throw new Error("A new post is not removed.");
    const alone = [`publisher:${post.publisherId}`];
    if (post.parentId !== null) alone.push(`post:${post.parentId}`);
    try {
      let moved: string[] = [];
      const written = await write(alone, async (session) => {
        if (post.parentId === null) return insertOne(context, session, post, guard);
        const thread = await joinThread(context, session, post, admit);
        moved = thread.moved;
        const reply = await insertOne(context, session, thread.reply, guard);
        if (reply.state === "active")
          await addReplyEntries(context, session, { ...reply, at: reply.createdAt }, thread.root);
        return reply;
      });
      context.wrote({ posts: [post.id, ...moved] });
      return { inserted: true, post: written };
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // A post that exists is the answer, whatever failed.
      const existing = await run(() => existingPost(context, post));
      if (existing !== null) return { inserted: false, post: existing };
      throw isDuplicate(error)
        ? new Error(`Post ${post.id} exists in another thread.`, { cause: error })
        : error;
    }
  };
}

/** An insert's guard sees these. */
async function findFingerprints(
  { collections }: MongodbContext,
  session: ClientSession,
  publisherId: string,
  { since, limit }: InsertGuard,
): Promise<FingerprintRow[]> {
  const found = await collections.posts
    .find(
      { publisher_id: publisherId, created_at: { $gte: new Date(since) } },
      {
        session,
        projection: { fingerprint: 1, created_at: 1 },
        sort: { created_at: -1, _id: -1 },
        limit,
        batchSize: limit,
      },
    )
    .toArray();
  return found.map(({ _id, fingerprint, created_at }) => ({
    id: _id,
    fingerprint,
    createdAt: created_at.getTime(),
  }));
}

/** @throws Error when the publisher is gone or being erased */
async function insertOne(
  context: MongodbContext,
  session: ClientSession,
  sent: StoredPost,
  guard: InsertGuard | undefined,
): Promise<StoredPost> {
  const { publisherId } = sent;
  // It runs beside the transaction, which it would only prolong: queries acknowledged before the post was sent have lower
  // numbers.
  const lastNo = lastChange(context);
  // The number may fail before it is waited for.
  lastNo.catch(() => {});
  const { posts, publishers } = context.collections;
  const publisher = await publishers.findOneAndUpdate(
    { _id: publisherId, erasing: false },
    { $inc: { post_count: 1 } },
    { session, projection: { verified_at: 1, suspended_at: 1 } },
  );
  if (publisher === null) throw new Error(`Publisher ${publisherId} is gone; its post was not kept.`);
  // It runs within the transaction, after the publisher was written: of two posts at once, the later one sees the earlier.
  guard?.check(await findFingerprints(context, session, publisherId, guard));
  // Two posts under one key both write the publisher: the later one sees the earlier.
  if (
    sent.idempotencyHash !== null &&
    (await postWithKey(context, publisherId, sent.idempotencyHash, session))
  )
    throw new Error(`Publisher ${publisherId} has a post under this key.`);
  const work = { match: DUE_WORK, embed: DUE_WORK };
  const post = { ...sent, writtenNo: sent.state === "active" ? await lastNo : NEVER_SHOWN };
  await posts.insertOne({ ...documentOfPost(post, statusFields(publisher)), ...work }, { session });
  return post;
}

interface Thread {
  reply: StoredPost;
  root: Pick<PostDocument, "_id" | "publisher_id">;
  /** These are the ids of posts whose expiry moved. */
  moved: string[];
}

/**
 * Counts a new reply for its root, and moves the expiry of the thread to what `admit` asks for.
 * @throws Error when the root is gone, removed or a reply itself
 */
async function joinThread(
  context: MongodbContext,
  session: ClientSession,
  sent: StoredPost,
  admit: InsertOptions["admit"],
): Promise<Thread> {
  const { posts } = context.collections;
  const _id = sent.parentId ?? "";
  const root = await posts.findOneAndUpdate(
    { _id, root: _id, state: { $ne: "removed" } },
    // A hidden one writes the root too: of an edit and a reply at once, one sees the other.
    sent.state === "active"
      ? { $inc: { reply_count: 1 }, $max: { last_reply_at: new Date(sent.createdAt) } }
      : { $inc: { reply_count: 0 } },
    { session, projection: { vec: 0 }, returnDocument: "before" },
  );
  if (root === null) throw new Error(`Post ${_id} is gone; the reply to it was not kept.`);
  const before = root.expires_at.getTime();
  const asked: ThreadRoot = {
    kind: root.kind,
    state: root.state,
    replyCount: root.reply_count,
    expiresAt: before,
    suspended: root.pub_suspended,
  };
  const expiresAt = Math.max(before, admit?.(asked) ?? 0);
  const reply = replyWithin(sent, expiresAt);
  if (expiresAt === before) return { reply, root, moved: [] };
  await posts.updateOne(
    { _id, root: _id },
    [{ $set: { expires_at: new Date(expiresAt) } }, { $set: WINDOW_END }],
    { session },
  );
  return { reply, root, moved: [_id, ...(await moveReplyDocuments(context, session, _id, expiresAt))] };
}

/** Finds the post that already has this id, sought in its own thread only, or this idempotency key. */
async function existingPost(context: MongodbContext, post: StoredPost): Promise<StoredPost | null> {
  const there = { _id: post.id, root: post.parentId ?? post.id };
  const found =
    (await context.collections.posts.findOne(there, { projection: { vec: 0 } })) ??
    (post.idempotencyHash === null
      ? null
      : await postWithKey(context, post.publisherId, post.idempotencyHash));
  return found === null ? null : postOfDocument(found);
}
