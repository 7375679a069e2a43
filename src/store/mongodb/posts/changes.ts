import type { ClientSession, UpdateFilter } from "mongodb";
import type { PostChange, StoredPost } from "../../../ports/store/index.ts";
import { editedPost } from "../../rules/changes.ts";
import type { PostDocument } from "../schema/documents.ts";
import { documentOf, postOf, WRITTEN } from "../schema/posts.ts";
import { isDuplicate } from "../server/connection.ts";
import type { Parts } from "../server/context.ts";
import { findPost, findPosts, inSession, keyId, postWithKey, storedPosts } from "../server/reads.ts";
import { dropWork, enqueueAll, renew } from "../server/work.ts";
import { announceReply } from "../subscriptions/inbox.ts";
import { countPost, countReply, recountReplies, repliesTo, uncountPosts } from "./counts.ts";

/**
 * Each change of a post is one transaction, which leaves counts and work in step with it. Transactions that must not pass
 * each other by write a document in common: whoever adds a reply writes its root, whoever adds a post its publisher.
 */

/** @throws Error when the publisher, or the post it answers, is gone */
export async function insertPost(
  parts: Parts,
  post: StoredPost,
  parentExpiresAt: number | null,
): Promise<{ inserted: boolean; post: StoredPost }> {
  if (post.state === "removed") throw new Error("A new post cannot be removed already.");
  const { connection } = parts;
  const alone = [`publisher:${post.publisherId}`];
  if (post.parentId !== null) alone.push(`post:${post.parentId}`);
  try {
    const existing = await connection.write(alone, async (session) => {
      const found = await existingPost(parts, session, post);
      if (found === null) await insertNew(parts, session, post, parentExpiresAt);
      return found;
    });
    if (existing !== null) return { inserted: false, post: await stored(parts, existing) };
    parts.wrote({
      posts: post.parentId !== null && parentExpiresAt !== null ? [post.id, post.parentId] : [post.id],
    });
    return { inserted: true, post };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Inserted by another process between the look and the insert.
    const existing = await connection.run(() => existingPost(parts, undefined, post));
    if (existing === null) throw error;
    return { inserted: false, post: await stored(parts, existing) };
  }
}

export async function updatePost(
  parts: Parts,
  id: string,
  change: PostChange,
  { text, asOf }: { text: boolean; asOf?: number },
): Promise<StoredPost | null> {
  const { connection, collections } = parts;
  const after = await connection.write([`post:${id}`], async (session) => {
    const before = await findWithVector(parts, session, id);
    const post = before === null ? null : editedPost(postOf(before, 0), change, asOf);
    if (before === null || post === null) return null;
    const document: PostDocument = {
      ...documentOf(post, { verified: before.pub_verified, suspended: before.pub_suspended }),
      reports: before.reports,
      ...(text || before.vec === undefined ? {} : { vec_model: before.vec_model, vec: before.vec }),
    };
    const { _id, root, ...fields } = document;
    // Not replaced: a newer release may have added fields.
    await collections.posts.updateOne(
      { _id, root },
      { $set: fields, $unset: { ...(fields.geo ? {} : { geo: "" }), ...(fields.vec ? {} : { vec: "" }) } },
      { session },
    );
    if (before.state !== document.state && document.parent_id !== null) {
      await recountReplies(parts, session, [document.parent_id]);
    }
    const due = { postId: id, dueAt: post.updatedAt };
    await enqueueAll(parts, session, [
      { kind: "match", ...due },
      ...(text ? ([{ kind: "embed", ...due }] as const) : []),
    ]);
    if (!text) await renew(parts, session, { kind: "embed", ...due });
    return document;
  });
  if (after === null) return null;
  parts.wrote({ posts: [id] });
  return stored(parts, after);
}

/** Ids now removed: the post, and its replies when it is a root. */
export async function removePost(parts: Parts, id: string, now: number): Promise<string[]> {
  const { connection, collections } = parts;
  const { posts } = collections;
  const gone = await connection.write([`post:${id}`], async (session) => {
    const post = await findPost(parts, id, session);
    if (post === null || post.state === "removed") return [];
    const replies = post.is_reply
      ? []
      : await posts
          .find(
            { ...repliesTo(parts, [id]), state: { $ne: "removed" } },
            { session, projection: { publisher_id: 1 } },
          )
          .toArray();
    const all = [post, ...replies];
    const ids = all.map(({ _id }) => _id);
    await posts.updateMany({ _id: { $in: ids }, root: post.root }, removal(now), { session });
    await dropWork(parts, session, ids);
    const publishers = all.map(({ publisher_id }) => publisher_id);
    await uncountPosts(parts, session, publishers);
    if (post.parent_id !== null) await recountReplies(parts, session, [post.parent_id]);
    return ids;
  });
  if (gone.length > 0) parts.wrote({ posts: gone });
  return gone;
}

async function insertNew(
  parts: Parts,
  session: ClientSession,
  post: StoredPost,
  parentExpiresAt: number | null,
): Promise<void> {
  const { post_keys, posts, retrievals } = parts.collections;
  const { id, publisherId, parentId, createdAt, idempotencyHash } = post;
  const publisher = await countPost(parts, session, publisherId);
  const root = parentId === null ? null : await countReply(parts, session, parentId, post, parentExpiresAt);
  await posts.insertOne(documentOf(post, publisher), { session });
  if (idempotencyHash !== null) {
    await post_keys.insertOne({ _id: keyId(publisherId, idempotencyHash), post_id: id }, { session });
  }
  if (post.retrievals > 0) {
    const n = { $set: { n: post.retrievals } };
    await retrievals.updateOne({ _id: id }, n, { session, upsert: true });
  }
  const due = { postId: id, dueAt: createdAt };
  await enqueueAll(parts, session, [
    { kind: "match", ...due },
    { kind: "embed", ...due },
  ]);
  if (root !== null) await announceReply(parts, session, { id, publisherId, at: createdAt }, root);
}

/** The post that is under this id already, where only its own thread is looked at, or under this idempotency key. */
async function existingPost(
  parts: Parts,
  session: ClientSession | undefined,
  post: StoredPost,
): Promise<PostDocument | null> {
  const there = { _id: post.id, root: post.parentId ?? post.id };
  const found = await parts.collections.posts.findOne(there, {
    projection: { vec: 0 },
    ...inSession(session),
  });
  if (found !== null || post.idempotencyHash === null) return found;
  return postWithKey(parts, post.publisherId, post.idempotencyHash, session);
}

async function findWithVector(
  parts: Parts,
  session: ClientSession,
  id: string,
): Promise<PostDocument | null> {
  return (await findPosts(parts, [id], session, {})).get(id) ?? null;
}

/** The text goes at once; who wrote it, when, and its fingerprint stay until the post is erased. */
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

async function stored(parts: Parts, document: PostDocument): Promise<StoredPost> {
  const [post] = await parts.connection.run(() => storedPosts(parts, [document]));
  return post as StoredPost;
}
