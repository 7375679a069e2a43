import type { UpdateFilter } from "mongodb";
import type { PostChange, StoredPost } from "../../../ports/store/index.ts";
import { isEnd, moveByEdit, moveByRemoval } from "../../rules/moves.ts";
import { editedPost, isFirstShown } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { documentOfPost, postOfDocument, WIPED } from "../database/posts.ts";
import { findPost, findPosts } from "../database/reads.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { DUE_WORK } from "../database/work.ts";
import { lastChange } from "../subscriptions/changes.ts";
import { addEndEntries, addReplyEntries } from "../subscriptions/inbox.ts";
import { toldAmong } from "../subscriptions/told-changes.ts";
import { moveReplyDocuments, recountReplyDocuments, repliesTo, uncountPosts } from "./counts.ts";

/**
 * Each change of a post is one transaction that keeps counts and work in step with it. Transactions that must see each
 * other write a common document: a new reply writes its root, a new post its publisher.
 */

export async function updatePostDocument(
  context: MongodbContext,
  id: string,
  change: PostChange,
  { text, asOf, now }: { text: boolean; asOf?: number; now?: number },
): Promise<StoredPost | null> {
  const { connection, collections } = context;
  let moved: string[] = [];
  const after = await connection.write([`post:${id}`], async (session) => {
    const before = (await findPosts(context, [id], session, {})).get(id) ?? null;
    const stored = before === null ? null : postOfDocument(before);
    const edited = stored === null ? null : editedPost(stored, change, asOf);
    if (before === null || stored === null || edited === null) return null;
    const move = moveByEdit(stored, edited);
    // A reply ends with its root alone.
    if (move !== null && isEnd(move, stored.change)) await addEndEntries(context, session, before, move);
    const isTold = move !== null && (await toldAmong(context, session, [id])).length > 0;
    const isFirst = isFirstShown(stored, edited);
    const writtenNo = isFirst ? await lastChange(context) : stored.writtenNo;
    const post = { ...edited, writtenNo, change: isTold ? move : null };
    const root =
      isFirst && stored.parentId !== null ? await findPost(context, stored.parentId, session) : null;
    if (root !== null) await addReplyEntries(context, session, { ...post, at: now ?? post.createdAt }, root);
    const { vec, vec_model, vec_maker, ...unread } = before;
    const document: PostDocument = {
      // A newer release may have added fields.
      ...(text ? unread : before),
      ...documentOfPost(post, before),
      match: DUE_WORK,
      // One that waits or is under way begins anew: its vector would be that of the post before this edit.
      ...(text || before.embed !== undefined ? { embed: DUE_WORK } : {}),
    };
    await collections.posts.replaceOne({ _id: id, root: before.root }, document, { session });
    if (before.state !== document.state && document.parent_id !== null) {
      await recountReplyDocuments(context, session, document.parent_id);
    }
    const expiryMoved = document.parent_id === null && before.expires_at.getTime() !== post.expiresAt;
    moved = expiryMoved ? await moveReplyDocuments(context, session, id, post.expiresAt) : [];
    return document;
  });
  if (after === null) return null;
  context.wrote({ posts: [id, ...moved] });
  return postOfDocument(after);
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
            { session, projection: { vec: 0 } },
          )
          .toArray();
    const end = moveByRemoval(postOfDocument(post), now);
    if (end !== null && !post.is_reply) await addEndEntries(context, session, post, end);
    const all = [post, ...replies];
    const ids = all.map(({ _id }) => _id);
    await posts.updateMany({ _id: { $in: ids }, root: post.root }, removal(now), { session });
    // How the post was before an edit is its publisher's text too.
    const texts = { post_id: { $in: ids }, "change.at": { $exists: true, $ne: now } };
    await collections.deliveries.updateMany(texts, { $set: { change: null } }, { session });
    await collections.inbox.updateMany(texts, { $set: { change: null } }, { session });
    const told = new Set(await toldAmong(context, session, ids));
    for (const one of all.filter(({ _id }) => told.has(_id))) {
      const change = moveByRemoval(postOfDocument(one), now);
      if (change === null) continue;
      const news = { $set: { change, match: DUE_WORK } };
      await posts.updateOne({ _id: one._id, root: one.root }, news, { session });
    }
    await uncountPosts(context, session, all);
    if (post.parent_id !== null) await recountReplyDocuments(context, session, post.parent_id);
    return ids;
  });
  if (gone.length > 0) context.wrote({ posts: gone });
  return gone;
}

/** The text goes at once; publisher, times and fingerprint stay until the post is erased. */
const removal = (now: number): UpdateFilter<PostDocument> => ({
  $set: {
    ...WIPED,
    state: "removed",
    change: null,
    removed_at: new Date(now),
    vec_model: null,
    vec_maker: null,
  },
  $unset: { place: "", geo: "", source: "", metadata: "", vec: "", match: "", embed: "" },
});
