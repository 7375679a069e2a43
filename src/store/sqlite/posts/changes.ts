import { indexEntryOf } from "../../../ports/index-entry.ts";
import type { PostChange, StoredPost } from "../../../ports/store/index.ts";
import { editedPost } from "../../rules/changes.ts";
import type { SqliteContext } from "../database/context.ts";
import { type PostRow, postOfRow, SELECT_POST, vectorOfBlob } from "../database/rows.ts";
import { enqueueWorkRow, renewWorkRow } from "../database/work.ts";
import { addReplyRows } from "../subscriptions/inbox.ts";

/** Everything here runs inside a write and keeps counts, tags, work and index in step with the post. */

/** @throws Error when the publisher, or the parent of a reply, is gone */
export function insertPostRow(
  context: SqliteContext,
  post: StoredPost,
  parentExpiresAt: number | null,
): { inserted: boolean; post: StoredPost } {
  const { connection, index } = context;
  const { sql } = connection;
  const existing = rowOf(context, post.id) ?? rowWithKey(context, post.publisherId, post.idempotencyHash);
  if (existing !== null) return { inserted: false, post: postOfRow(existing) };
  if (post.state === "removed") throw new Error("A new post cannot be removed already.");

  const counted = sql("UPDATE publisher SET post_count = post_count + 1 WHERE id = ? AND erasing = 0").run(
    post.publisherId,
  );
  if (counted.changes === 0) throw new Error(`Publisher ${post.publisherId} is gone; its post was not kept.`);

  const seq = writePostRow(context, post, null);
  if (post.parentId !== null) {
    const parent = rowOf(context, post.parentId);
    if (parent === null || parent.state === "removed") {
      throw new Error(`Post ${post.parentId} is gone; the reply to it was not kept.`);
    }
    if (post.state === "active") {
      sql(
        "UPDATE post SET reply_count = reply_count + 1, last_reply_at = max(coalesce(last_reply_at, ?1), ?1) WHERE seq = ?2",
      ).run(post.createdAt, parent.seq);
    }
    if (parentExpiresAt !== null && parentExpiresAt > parent.expires_at) {
      const before = postOfRow(parent);
      const after = { ...before, expiresAt: parentExpiresAt };
      sql("UPDATE post SET expires_at = ? WHERE seq = ?").run(parentExpiresAt, parent.seq);
      replaceTags(context, parent.seq, before, after);
      if (after.state === "active") index.put(indexEntryOf(after));
    }
    addReplyRows(connection, { seq, publisherId: post.publisherId, at: post.createdAt }, parent);
  }

  if (post.state === "active") index.put(indexEntryOf(post));
  enqueueWorkRow(connection, "match", seq, post.createdAt);
  enqueueWorkRow(connection, "embed", seq, post.createdAt);
  return { inserted: true, post: postOfRow(rowOf(context, post.id) as PostRow) };
}

/** Writes a post as it is, without counts, inbox entries, work or index; returns its row. */
export function writePostRow(context: SqliteContext, post: StoredPost, removedAt: number | null): number {
  const { sql } = context.connection;
  const { lastInsertRowid } = sql(
    `INSERT INTO post (id, publisher_id, parent_id, created_at, input_hash, idempotency_hash, ${DECIDED.join(", ")}, reply_count, last_reply_at, removed_at)
    VALUES (?, ?, ?, ?, ?, ?, ${DECIDED.map(() => "?").join(", ")}, ?, ?, ?)`,
  ).run(
    post.id,
    post.publisherId,
    post.parentId,
    post.createdAt,
    post.inputHash,
    post.idempotencyHash,
    ...decided(post),
    post.replyCount,
    post.lastReplyAt,
    removedAt,
  );
  const seq = Number(lastInsertRowid);
  if (post.state !== "removed") {
    sql(
      `INSERT INTO post_content (post, ${WRITTEN.join(", ")}) VALUES (?, ${WRITTEN.map(() => "?").join(", ")})`,
    ).run(seq, ...written(post));
  }
  if (post.retrievals > 0) sql("INSERT INTO post_retrievals VALUES (?, ?)").run(seq, post.retrievals);
  replaceTags(context, seq, null, post);
  return seq;
}

export function updatePostRow(
  context: SqliteContext,
  id: string,
  change: PostChange,
  { text, asOf }: { text: boolean; asOf?: number },
): StoredPost | null {
  const { connection, index } = context;
  const { sql } = connection;
  const row = rowOf(context, id);
  if (row === null) return null;
  const { seq } = row;
  const before = postOfRow(row);
  const after = editedPost(before, change, asOf);
  if (after === null) return null;

  sql(`UPDATE post SET ${DECIDED.map((column) => `${column} = ?`).join(", ")} WHERE seq = ?`).run(
    ...decided(after),
    seq,
  );
  sql(`UPDATE post_content SET ${WRITTEN.map((column) => `${column} = ?`).join(", ")} WHERE post = ?`).run(
    ...written(after),
    seq,
  );
  replaceTags(context, seq, before, after);
  if (before.state !== after.state && after.parentId !== null) recountReplyRows(context, after.parentId);

  if (text) {
    sql("DELETE FROM post_vector WHERE post = ?").run(seq);
    sql("UPDATE post SET vector_model = NULL WHERE seq = ?").run(seq);
    enqueueWorkRow(connection, "embed", seq, after.updatedAt);
  } else renewWorkRow(connection, "embed", seq, after.updatedAt);
  enqueueWorkRow(connection, "match", seq, after.updatedAt);

  if (after.state === "active") {
    index.put(indexEntryOf(after));
    if (before.state === "active") {
      if (text) index.removeVector(id);
    } else {
      const kept: { model: string; vector: Uint8Array } | undefined = sql(
        "SELECT model, vector FROM post_vector WHERE post = ?",
      ).get(seq);
      if (kept !== undefined) index.putVector(id, kept.model, vectorOfBlob(kept.vector));
    }
  } else if (before.state === "active") {
    index.remove(id);
  }
  return after;
}

/** Returns the ids now removed: the post, and its replies when it is a root. */
export function removePostRow(context: SqliteContext, id: string, now: number): string[] {
  const { connection, index } = context;
  const { sql } = connection;
  const row = rowOf(context, id);
  if (row === null || row.state === "removed") return [];
  const replies: PostRow[] = sql(`${SELECT_POST} WHERE p.parent_id = ? AND p.state <> 'removed'`).all(id);
  const gone = [row, ...replies];
  for (const one of gone) {
    // The text goes at once; publisher, times and fingerprint stay until the row is erased.
    sql(
      "UPDATE post SET state = 'removed', removed_at = ?, flags = '[]', vector_model = NULL, reply_count = 0, last_reply_at = NULL WHERE seq = ?",
    ).run(now, one.seq);
    replaceTags(context, one.seq, postOfRow(one), null);
    sql("DELETE FROM post_content WHERE post = ?").run(one.seq);
    sql("DELETE FROM post_vector WHERE post = ?").run(one.seq);
    sql("DELETE FROM work WHERE post = ?").run(one.seq);
    sql("UPDATE publisher SET post_count = post_count - 1 WHERE id = ?").run(one.publisher_id);
    if (one.state === "active") index.remove(one.id);
  }
  if (row.parent_id !== null) recountReplyRows(context, row.parent_id);
  return gone.map((one) => one.id);
}

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

/** Replaces the rows from which tags are counted; only active posts have them. */
export function replaceTags(
  { connection }: SqliteContext,
  seq: number,
  before: StoredPost | null,
  after: StoredPost | null,
): void {
  const old = before?.state === "active" ? before : null;
  const next = after?.state === "active" ? after : null;
  if (old?.expiresAt === next?.expiresAt && JSON.stringify(old?.tags) === JSON.stringify(next?.tags)) return;
  for (const tag of old?.tags ?? []) {
    connection
      .sql("DELETE FROM post_tag WHERE tag = ? AND expires_at = ? AND post = ?")
      .run(tag, old?.expiresAt, seq);
  }
  for (const tag of next?.tags ?? []) {
    connection.sql("INSERT OR IGNORE INTO post_tag VALUES (?, ?, ?)").run(tag, next?.expiresAt, seq);
  }
}

/** The post of a publisher under an idempotency key, or null. */
export function rowWithKey(
  { connection }: SqliteContext,
  publisherId: string,
  idempotencyHash: string | null,
): PostRow | null {
  if (idempotencyHash === null) return null;
  return (
    connection
      .sql(`${SELECT_POST} WHERE p.publisher_id = ? AND p.idempotency_hash = ?`)
      .get(publisherId, idempotencyHash) ?? null
  );
}

function rowOf({ connection }: SqliteContext, id: string): PostRow | null {
  return connection.sql(`${SELECT_POST} WHERE p.id = ?`).get(id) ?? null;
}

/** Columns of `post` that an insert and an edit both set, and their values in the same order. */
const DECIDED = [
  "kind",
  "starts_at",
  "ends_at",
  "expires_at",
  "expiry_chosen",
  "syndicated",
  "flags",
  "fingerprint",
  "updated_at",
  "state",
] as const;

function decided(post: StoredPost): unknown[] {
  return [
    post.kind,
    post.startsAt,
    post.endsAt,
    post.expiresAt,
    Number(post.expiryChosen),
    Number(post.syndicated),
    JSON.stringify(post.flags),
    post.fingerprint,
    post.updatedAt,
    post.state,
  ];
}

/** Columns of `post_content`, and their values in the same order. */
const WRITTEN = [
  "title",
  "body",
  "link",
  "tags",
  "located",
  "place_name",
  "lat",
  "lng",
  "timezone",
  "source_url",
  "metadata",
] as const;

function written(post: StoredPost): unknown[] {
  return [
    post.title,
    post.body,
    post.link,
    JSON.stringify(post.tags),
    Number(post.location !== null),
    post.location?.name ?? null,
    post.location?.lat ?? null,
    post.location?.lng ?? null,
    post.timezone,
    post.sourceUrl,
    JSON.stringify(post.metadata),
  ];
}
