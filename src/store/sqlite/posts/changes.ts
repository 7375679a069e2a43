import {
  type FingerprintRow,
  type InsertOptions,
  NEVER_SHOWN,
  type PostChange,
  type StoredPost,
  type ThreadRoot,
} from "../../../ports/store/index.ts";
import { POST } from "../../../records/post.ts";
import { isEnd, moveByEdit, moveByRemoval } from "../../rules/moves.ts";
import { editedPost, isFirstShown, replyWithin } from "../../rules/rows.ts";
import { insertInto, type SqliteConnection, type SqliteContext, updateIn } from "../database/connection.ts";
import { markLog } from "../database/erased-log.ts";
import { indexPost } from "../database/index-rows.ts";
import {
  type PostRow,
  postColumns,
  postRow,
  rowWithKey,
  SELECT_POST,
  storedPostOfRow,
} from "../database/rows.ts";
import { enqueueWorkRow, renewWorkRow } from "../database/work.ts";
import { lastChangeNo } from "../subscriptions/changes.ts";
import { addEndRows, addReplyRows } from "../subscriptions/inbox.ts";

/** Everything here runs inside a write and keeps counts, work and index in step with the post. */

/** @throws Error when the publisher, or the parent of a reply, is gone */
export function insertPostRow(
  context: SqliteContext,
  sent: StoredPost,
  { admit, guard }: InsertOptions,
): { inserted: boolean; post: StoredPost } {
  const { connection } = context;
  const { sql } = connection;
  const existing = postRow(context, sent.id) ?? rowWithKey(context, sent.publisherId, sent.idempotencyHash);
  if (existing !== null) return { inserted: false, post: storedPostOfRow(existing) };
  const parent = sent.parentId === null ? null : parentRow(context, sent.parentId);
  const rootExpiresAt =
    parent === null ? 0 : Math.max(parent.expires_at, admit?.(rootOf(context, parent)) ?? 0);
  const writtenNo = sent.state === "active" ? lastChangeNo(connection) : NEVER_SHOWN;
  const post = { ...(parent === null ? sent : replyWithin(sent, rootExpiresAt)), writtenNo };
  if (post.state === "removed") throw new Error("A new post is not removed.");

  const counted = sql("UPDATE publisher SET post_count = post_count + 1 WHERE id = ? AND erasing = 0").run(
    post.publisherId,
  );
  if (counted.changes === 0) throw new Error(`Publisher ${post.publisherId} is gone; its post was not kept.`);
  guard?.check(fingerprintRows(connection, post.publisherId, guard));

  const seq = writePostRow(context, post, null);
  if (parent !== null) {
    if (post.state === "active") {
      sql(
        "UPDATE post SET reply_count = reply_count + 1, last_reply_at = max(coalesce(last_reply_at, ?1), ?1) WHERE seq = ?2",
      ).run(post.createdAt, parent.seq);
      addReplyRows(connection, { seq, publisherId: post.publisherId, at: post.createdAt }, parent);
    }
    if (rootExpiresAt > parent.expires_at) {
      moveExpiry(context, parent, rootExpiresAt);
      moveReplies(context, parent.id, rootExpiresAt);
    }
  }

  indexPost(context, seq, null, post);
  enqueueWorkRow(connection, "match", seq);
  enqueueWorkRow(connection, "embed", seq);
  return { inserted: true, post: storedPostOfRow(postRow(context, post.id) as PostRow) };
}

/** @throws Error when it is gone, removed or a reply */
function parentRow(context: SqliteContext, id: string): PostRow {
  const parent = postRow(context, id);
  if (parent !== null && parent.state !== "removed" && parent.parent_id === null) return parent;
  throw new Error(`Post ${id} is gone; the reply to it was not kept.`);
}

function rootOf({ connection }: SqliteContext, row: PostRow): ThreadRoot {
  const owner = connection.sql("SELECT suspended_at FROM publisher WHERE id = ?").get(row.publisher_id);
  return { ...storedPostOfRow(row), suspended: owner.suspended_at !== null };
}

/** Gives the replies of a root, hidden ones too, its expiry. */
function moveReplies(context: SqliteContext, rootId: string, expiresAt: number): void {
  const replies: PostRow[] = context.connection
    .sql(`${SELECT_POST} WHERE p.parent_id = ? AND p.state <> 'removed' AND p.expires_at <> ?`)
    .all(rootId, expiresAt);
  for (const reply of replies) moveExpiry(context, reply, expiresAt);
}

function moveExpiry(context: SqliteContext, row: PostRow, expiresAt: number): void {
  context.connection.sql("UPDATE post SET expires_at = ? WHERE seq = ?").run(expiresAt, row.seq);
  if (row.state === "active") context.index.touch(row.seq);
}

/** An insert's guard sees these. */
function fingerprintRows(
  { sql }: SqliteConnection,
  publisherId: string,
  { since, limit }: { since: number; limit: number },
): FingerprintRow[] {
  return sql(
    `SELECT id, fingerprint, created_at AS createdAt FROM post WHERE publisher_id = ? AND created_at >= ?
    ORDER BY created_at DESC, id DESC LIMIT ?`,
  )
    .all(publisherId, since, limit)
    .map((row) => ({ ...row }));
}

/** Writes a post as it is, without counts, inbox entries, work or index; returns its row. */
export function writePostRow(context: SqliteContext, post: StoredPost, removedAt: number | null): number {
  const { sql } = context.connection;
  const { decided, content } = postColumns(post);
  const seq = insertInto(context.connection, "post", { ...decided, removed_at: removedAt });
  if (post.state !== "removed") insertInto(context.connection, "post_content", { post: seq, ...content });
  if (post.retrievals > 0) sql("INSERT INTO post_retrievals VALUES (?, ?)").run(seq, post.retrievals);
  return seq;
}

export function updatePostRow(
  context: SqliteContext,
  id: string,
  change: PostChange,
  { text, asOf, now }: { text: boolean; asOf?: number; now?: number },
): StoredPost | null {
  const { connection } = context;
  const { sql } = connection;
  const row = postRow(context, id);
  if (row === null) return null;
  const { seq } = row;
  const before = storedPostOfRow(row);
  const edited = editedPost(before, change, asOf);
  if (edited === null) return null;
  const move = moveByEdit(before, edited);
  // A reply ends with its root alone.
  if (move !== null && isEnd(move, before.change)) addEndRows(connection, row, move);
  const isFirst = isFirstShown(before, edited);
  const writtenNo = isFirst ? lastChangeNo(connection) : before.writtenNo;
  const after = { ...edited, writtenNo, change: isToldOf(connection, seq) ? move : null };
  const root = isFirst && row.parent_id !== null ? postRow(context, row.parent_id) : null;
  if (root !== null)
    addReplyRows(connection, { seq, publisherId: row.publisher_id, at: now ?? before.createdAt }, root);

  const decided = { ...change, writtenNo, expiresAt: after.expiresAt, change: after.change };
  updateIn(connection, "post", postColumns(decided).decided, ["seq", seq]);
  updateIn(connection, "post_content", postColumns(after).content, ["post", seq]);
  if (before.state !== after.state && after.parentId !== null) recountReplyRows(context, after.parentId);
  if (before.expiresAt !== after.expiresAt) moveReplies(context, id, after.expiresAt);

  if (text) {
    sql("DELETE FROM post_vector WHERE post = ?").run(seq);
    sql("UPDATE post SET vector_model = NULL WHERE seq = ?").run(seq);
    enqueueWorkRow(connection, "embed", seq);
  } else renewWorkRow(connection, "embed", seq);
  enqueueWorkRow(connection, "match", seq);

  if (before.state === "active" || after.state === "active") indexPost(context, seq, before, after);
  return after;
}

/** Returns the ids now removed: the post, and its replies when it is a root. */
export function removePostRow(context: SqliteContext, id: string, now: number): string[] {
  const { connection } = context;
  const { sql } = connection;
  const row = postRow(context, id);
  if (row === null || row.state === "removed") return [];
  markLog(connection);
  const replies: PostRow[] = sql(`${SELECT_POST} WHERE p.parent_id = ? AND p.state <> 'removed'`).all(id);
  const gone = [row, ...replies];
  const end = moveByRemoval(storedPostOfRow(row), now);
  if (end !== null && row.parent_id === null) addEndRows(connection, row, end);
  for (const one of gone) {
    // How the post was before an edit is its publisher's text too.
    for (const table of ["delivery", "inbox"])
      sql(`UPDATE ${table} SET change = NULL WHERE post = ? AND change ->> '$.at' <> ?`).run(one.seq, now);
    const change = isToldOf(connection, one.seq) ? moveByRemoval(storedPostOfRow(one), now) : null;
    // The text goes at once; publisher, times and fingerprint stay until the row is erased.
    const { decided } = postColumns({ ...POST.wiped, state: "removed", change });
    updateIn(connection, "post", { ...decided, removed_at: now, vector_model: null }, ["seq", one.seq]);
    sql("DELETE FROM post_content WHERE post = ?").run(one.seq);
    sql("DELETE FROM post_vector WHERE post = ?").run(one.seq);
    sql("DELETE FROM work WHERE post = ?").run(one.seq);
    if (change !== null) enqueueWorkRow(connection, "match", one.seq);
    sql("UPDATE publisher SET post_count = post_count - 1 WHERE id = ?").run(one.publisher_id);
    if (one.state === "active") indexPost(context, one.seq, storedPostOfRow(one), null);
  }
  if (row.parent_id !== null) recountReplyRows(context, row.parent_id);
  return gone.map((one) => one.id);
}

/** Tells whether any subscription was told of a post. */
const isToldOf = ({ sql }: SqliteConnection, seq: number): boolean =>
  sql("SELECT 1 FROM delivery WHERE post = ? LIMIT 1").get(seq) !== undefined;

/** Brings `reply_count` and `last_reply_at` of a root in step with its active replies. */
export function recountReplyRows({ connection }: SqliteContext, parentId: string): void {
  connection
    .sql(
      `UPDATE post SET
        reply_count = (SELECT count(*) FROM post r WHERE r.parent_id = ?1 AND r.state = 'active'),
        last_reply_at = (SELECT max(created_at) FROM post r WHERE r.parent_id = ?1 AND r.state = 'active')
      WHERE id = ?1`,
    )
    .run(parentId);
}
