import type { InboxEntry, InboxStore, ToldChange } from "../../../ports/store/index.ts";
import { entriesOfReply, hearersOfEnd, REPLIERS_SOUGHT } from "../../rules/inbox.ts";
import { pruneBefore, type SqliteConnection, type SqliteContext } from "../database/connection.ts";
import { isTold } from "../database/rows.ts";

export function sqliteInboxStore({ connection }: SqliteContext): InboxStore {
  const { sql, read } = connection;
  return {
    read: (publisherId, after, limit) =>
      read(() =>
        sql(
          `SELECT i.no, i.type, i.at, p.id AS postId, s.id AS subscriptionId, i.delivery_id AS deliveryId, i.change
          FROM publisher me
            CROSS JOIN inbox i ON i.publisher = me.seq
            CROSS JOIN post p ON p.seq = i.post
            CROSS JOIN publisher a ON a.id = p.publisher_id
            LEFT JOIN subscription s ON s.seq = i.subscription
          WHERE me.id = ? AND i.no > ? AND ${isTold("i")}
            AND (i.subscription IS NULL OR s.seq IS NOT NULL)
          ORDER BY i.no LIMIT ?`,
        )
          .all(publisherId, after, limit)
          .map((row) => ({ ...row, change: row.change === null ? null : JSON.parse(row.change) })),
      ),

    lastNumbers: (publisherIds) =>
      read(
        () =>
          new Map(
            sql(
              "SELECT id, inbox_no AS no FROM publisher WHERE id IN (SELECT value FROM json_each(?)) AND erasing = 0",
            )
              .all(JSON.stringify(publisherIds))
              .map(({ id, no }) => [id, no]),
          ),
      ),

    prune: (before, limit) => pruneBefore(connection, "inbox", ["publisher, no", "at"], before, limit),
  };
}

/** Adds the inbox entries of a reply that is shown from now on; runs inside the write that shows it. */
export function addReplyRows(
  connection: SqliteConnection,
  reply: { seq: number; publisherId: string; at: number },
  root: { id: string; publisher_id: string },
): void {
  const entry = { at: reply.at, post: reply.seq, ...NO_DELIVERY, change: null };
  const repliers = repliersTo(connection, root.id, REPLIERS_SOUGHT);
  for (const { publisherId, type } of entriesOfReply(reply.publisherId, root.publisher_id, repliers)) {
    addEntryRow(connection, publisherId, { ...entry, type });
  }
}

const NO_DELIVERY = { subscription: null, deliveryId: null };

/** Tells those who answered a root that it has ended; runs inside the write that ends it, while its replies are there. */
export function addEndRows(
  connection: SqliteConnection,
  root: { seq: number; id: string; publisher_id: string },
  change: ToldChange,
): void {
  const entry = { type: "activity", at: change.at, post: root.seq, ...NO_DELIVERY, change } as const;
  const repliers = repliersTo(connection, root.id, REPLIERS_SOUGHT);
  for (const publisherId of hearersOfEnd(root.publisher_id, repliers))
    addEntryRow(connection, publisherId, entry);
}

/** Adds an entry to a publisher's inbox, unless the publisher is gone; runs inside a write. `post` and `subscription` are rows, not ids. */
export function addEntryRow(
  { sql }: SqliteConnection,
  publisherId: string,
  entry: {
    type: InboxEntry["type"];
    at: number;
    post: number;
    subscription: number | null;
    deliveryId: number | null;
    change: ToldChange | null;
  },
): void {
  const next: { seq: number; no: number } | undefined = sql(
    "UPDATE publisher SET inbox_no = inbox_no + 1 WHERE id = ? AND erasing = 0 RETURNING seq, inbox_no AS no",
  ).get(publisherId);
  if (next === undefined) return;
  sql(
    "INSERT INTO inbox (publisher, no, type, at, post, subscription, delivery_id, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  ).run(
    ...[next.seq, next.no, entry.type, entry.at, entry.post, entry.subscription, entry.deliveryId],
    entry.change === null ? null : JSON.stringify(entry.change),
  );
}

/** Finds publishers with an active reply, each once. Jumps through the index: a thread may have far more replies than people. */
function repliersTo({ sql }: SqliteConnection, rootId: string, limit: number): string[] {
  return sql(
    `WITH RECURSIVE replier (id) AS (
      SELECT min(publisher_id) FROM post WHERE parent_id = ?1 AND state = 'active'
      UNION ALL
      SELECT (SELECT min(publisher_id) FROM post WHERE parent_id = ?1 AND state = 'active' AND publisher_id > replier.id)
      FROM replier WHERE replier.id IS NOT NULL LIMIT ?2)
    SELECT id FROM replier WHERE id IS NOT NULL`,
  )
    .all(rootId, limit)
    .map(({ id }) => id);
}

/** Erases at most `most` entries of a publisher; returns how many. */
export function eraseInboxRows({ sql }: SqliteConnection, publisherId: string, most: number): number {
  return sql(
    `DELETE FROM inbox WHERE (publisher, no) IN (
      SELECT publisher, no FROM inbox WHERE publisher = (SELECT seq FROM publisher WHERE id = ?) LIMIT ?)`,
  ).run(publisherId, most).changes as number;
}
