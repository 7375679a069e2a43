import type { ClientSession, UpdateFilter } from "mongodb";
import type { FingerprintRow, InsertGuard, PostChange, StoredPost } from "../../../ports/store/index.ts";
import { editedPost } from "../../rules/rows.ts";
import type { PostDocument } from "../schema/documents.ts";
import { documentOfPost, postOfDocument, WRITTEN } from "../schema/posts.ts";
import { isDuplicate } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { findPost, findPosts, inSession, keyId, postWithKey, storedPosts } from "../server/reads.ts";
import { dropWork, enqueueAll, renewWorkDocument } from "../server/work.ts";
import { addReplyDocuments } from "../subscriptions/inbox.ts";
import { countPost, countReply, recountReplyDocuments, repliesTo, uncountPosts } from "./counts.ts";

/**
 * Each change of a post is one transaction that keeps counts and work in step with it. Transactions that must see each
 * other write a common document: a new reply writes its root, a new post its publisher.
 */

/** @throws Error when the publisher, or the parent of a reply, is gone */
export async function insertPostDocument(
  context: MongodbContext,
  post: StoredPost,
  options: { parentExpiresAt?: number; guard?: InsertGuard },
): Promise<{ inserted: boolean; post: StoredPost }> {
  if (post.state === "removed") throw new Error("A new post cannot be removed already.");
  const { connection } = context;
  const alone = [`publisher:${post.publisherId}`];
  if (post.parentId !== null) alone.push(`post:${post.parentId}`);
  try {
    const existing = await connection.write(alone, async (session) => {
      const found = await existingPost(context, session, post);
      if (found === null) await insertNew(context, session, post, options);
      return found;
    });
    if (existing !== null) return { inserted: false, post: await stored(context, existing) };
    context.wrote({
      posts:
        post.parentId !== null && options.parentExpiresAt !== undefined
          ? [post.id, post.parentId]
          : [post.id],
    });
    return { inserted: true, post };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Inserted by another process between the look and the insert.
    const existing = await connection.run(() => existingPost(context, undefined, post));
    if (existing === null) throw error;
    return { inserted: false, post: await stored(context, existing) };
  }
}

export async function updatePostDocument(
  context: MongodbContext,
  id: string,
  change: PostChange,
  { text, asOf }: { text: boolean; asOf?: number },
): Promise<StoredPost | null> {
  const { connection, collections } = context;
  const after = await connection.write([`post:${id}`], async (session) => {
    const before = (await findPosts(context, [id], session, {})).get(id) ?? null;
    const post = before === null ? null : editedPost(postOfDocument(before, 0), change, asOf);
    if (before === null || post === null) return null;
    const document: PostDocument = {
      ...documentOfPost(post, { verified: before.pub_verified, suspended: before.pub_suspended }),
      reports: before.reports,
      ...(text || before.vec === undefined ? {} : { vec_model: before.vec_model, vec: before.vec }),
    };
    const { _id, root, ...fields } = document;
    // An update, not a replacement: a newer release may have added fields.
    await collections.posts.updateOne(
      { _id, root },
      { $set: fields, $unset: { ...(fields.geo ? {} : { geo: "" }), ...(fields.vec ? {} : { vec: "" }) } },
      { session },
    );
    if (before.state !== document.state && document.parent_id !== null) {
      await recountReplyDocuments(context, session, [document.parent_id]);
    }
    const due = { postId: id, dueAt: post.updatedAt };
    await enqueueAll(context, session, [
      { kind: "match", ...due },
      ...(text ? ([{ kind: "embed", ...due }] as const) : []),
    ]);
    if (!text) await renewWorkDocument(context, session, { kind: "embed", ...due });
    return document;
  });
  if (after === null) return null;
  context.wrote({ posts: [id] });
  return stored(context, after);
}

/** Resolves to the ids now removed: the post, and its replies when it is a root. */
export async function removePostDocument(
  context: MongodbContext,
  id: string,
  now: number,
): Promise<string[]> {
  const { connection, collections } = context;
  const { posts } = collections;
  const gone = await connection.write([`post:${id}`], async (session) => {
    const post = await findPost(context, id, session);
    if (post === null || post.state === "removed") return [];
    const replies = post.is_reply
      ? []
      : await posts
          .find(
            { ...repliesTo(context, [id]), state: { $ne: "removed" } },
            { session, projection: { publisher_id: 1 } },
          )
          .toArray();
    const all = [post, ...replies];
    const ids = all.map(({ _id }) => _id);
    await posts.updateMany({ _id: { $in: ids }, root: post.root }, removal(now), { session });
    await dropWork(context, session, ids);
    const publishers = all.map(({ publisher_id }) => publisher_id);
    await uncountPosts(context, session, publishers);
    if (post.parent_id !== null) await recountReplyDocuments(context, session, [post.parent_id]);
    return ids;
  });
  if (gone.length > 0) context.wrote({ posts: gone });
  return gone;
}

async function insertNew(
  context: MongodbContext,
  session: ClientSession,
  post: StoredPost,
  { parentExpiresAt, guard }: { parentExpiresAt?: number; guard?: InsertGuard },
): Promise<void> {
  const { post_keys, posts, retrievals } = context.collections;
  const { id, publisherId, parentId, createdAt, idempotencyHash } = post;
  const publisher = await countPost(context, session, publisherId);
  // Of two transactions of one publisher, the later one counts anew and sees what the earlier one wrote.
  guard?.check(await findFingerprints(context, session, publisherId, guard));
  const expiresAt = parentExpiresAt ?? null;
  const root = parentId === null ? null : await countReply(context, session, parentId, post, expiresAt);
  await posts.insertOne(documentOfPost(post, publisher), { session });
  if (idempotencyHash !== null) {
    await post_keys.insertOne({ _id: keyId(publisherId, idempotencyHash), post_id: id }, { session });
  }
  if (post.retrievals > 0) {
    const n = { $set: { n: post.retrievals } };
    await retrievals.updateOne({ _id: id }, n, { session, upsert: true });
  }
  const due = { postId: id, dueAt: createdAt };
  await enqueueAll(context, session, [
    { kind: "match", ...due },
    { kind: "embed", ...due },
  ]);
  if (root !== null) await addReplyDocuments(context, session, { id, publisherId, at: createdAt }, root);
}

/** See `PostStore.fingerprints`. */
export async function findFingerprints(
  { collections }: MongodbContext,
  session: ClientSession | undefined,
  publisherId: string,
  { since, limit }: { since: number; limit: number },
): Promise<FingerprintRow[]> {
  const found = await collections.posts
    .find(
      { publisher_id: publisherId, created_at: { $gte: new Date(since) } },
      { projection: { fingerprint: 1, created_at: 1 }, ...inSession(session) },
    )
    .sort({ created_at: -1, _id: -1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id, fingerprint, created_at }) => ({
    id: _id,
    fingerprint,
    createdAt: created_at.getTime(),
  }));
}

/** The post that already has this id, sought in its own thread only, or this idempotency key. */
async function existingPost(
  context: MongodbContext,
  session: ClientSession | undefined,
  post: StoredPost,
): Promise<PostDocument | null> {
  const there = { _id: post.id, root: post.parentId ?? post.id };
  const found = await context.collections.posts.findOne(there, {
    projection: { vec: 0 },
    ...inSession(session),
  });
  if (found !== null || post.idempotencyHash === null) return found;
  return postWithKey(context, post.publisherId, post.idempotencyHash, session);
}

/** The text goes at once; publisher, times and fingerprint stay until the post is erased. */
const removal = (now: number): UpdateFilter<PostDocument> => ({
  $set: {
    state: "removed",
    removed_at: new Date(now),
    flags: [],
    vec_model: null,
    reply_count: 0,
    last_reply_at: null,
  },
  $unset: WRITTEN,
});

async function stored(context: MongodbContext, document: PostDocument): Promise<StoredPost> {
  const [post] = await context.connection.run(() => storedPosts(context, [document]));
  return post as StoredPost;
}
