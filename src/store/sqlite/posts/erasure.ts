import type { ErasedPublisher } from "../../../ports/store/index.ts";
import { PUBLISHER } from "../../../records/publisher.ts";
import { inSteps } from "../../rules/rows.ts";
import { type SqliteConnection, type SqliteContext, updateIn } from "../database/connection.ts";
import { emptyMarkedLog, markLog } from "../database/erased-log.ts";
import { indexPost } from "../database/index-rows.ts";
import { type PostRow, PUBLISHER_COLUMNS, SELECT_POST, storedPostOfRow } from "../database/rows.ts";
import { eraseInboxRows } from "../subscriptions/inbox.ts";
import { removeSubscriptionRows } from "../subscriptions/index.ts";
import { recountReplyRows } from "./changes.ts";

/** One transaction erases this many rows: neither the event loop nor other processes should wait long. */
const ROWS_PER_WRITE = 50;
/** A caller, and the job of each minute, wait this long for readers elsewhere that keep the log from being emptied. */
const PATIENCE_MS = 2_000;

/** Erases posts that expired, or were removed, before the given times. Replies go before their root. */
export async function erasePostRows(
  context: SqliteContext,
  before: { expired: number; removed: number },
  limit: number,
): Promise<number> {
  const { connection } = context;
  const { sql, write } = connection;
  const erased = await inSteps(limit, ROWS_PER_WRITE, (most) =>
    write(() => {
      const removed: { id: string }[] = sql(
        "SELECT id FROM post WHERE state = 'removed' AND removed_at < ? ORDER BY removed_at LIMIT ?",
      ).all(before.removed, most);
      const roots =
        removed.length > 0
          ? removed
          : (sql(
              "SELECT id FROM post WHERE state <> 'removed' AND expires_at < ? ORDER BY expires_at LIMIT ?",
            ).all(before.expired, most) as { id: string }[]);
      if (roots.length > 0) markLog(connection);
      return eraseWithReplies(
        context,
        roots.map(({ id }) => id),
        most,
      );
    }),
  );
  await emptyMarkedLog(connection, 0);
  return erased;
}

/** See `PublisherStore.erase`. With the first transaction, the key fails and the posts leave the search. */
export async function erasePublisherRows(
  context: SqliteContext,
  id: string,
): Promise<ErasedPublisher | null> {
  const { sql, write } = context.connection;
  const counts = await write(() => {
    const publisher: { post_count: number } | undefined = sql(
      "SELECT post_count FROM publisher WHERE id = ? AND erasing = 0",
    ).get(id);
    if (publisher === undefined) return null;
    const wiped = PUBLISHER_COLUMNS.write({ ...PUBLISHER.wiped, keyHash: `erased ${id}` });
    updateIn(context.connection, "publisher", { ...wiped, erasing: 1 }, ["id", id]);
    sql("DELETE FROM sign_in WHERE publisher_id = ?").run(id);
    context.index.touchPublisher(id);
    const { n } = sql("SELECT count(*) AS n FROM subscription WHERE publisher_id = ?").get(id);
    return { posts: publisher.post_count, subscriptions: n as number };
  });
  if (counts === null) return null;
  await finishErasure(context, id);
  // The text is gone from the pages, but the log still holds older copies.
  return { ...counts, complete: await emptyMarkedLog(context.connection, PATIENCE_MS) };
}

/** See `Store.finishErasures`. @param patienceMs  0 for a board that opens, which waits for nobody */
export async function finishRowErasures(context: SqliteContext, patienceMs = PATIENCE_MS): Promise<boolean> {
  const { connection } = context;
  const { sql, read } = connection;
  const open: { id: string }[] = await read(() => sql("SELECT id FROM publisher WHERE erasing = 1").all());
  for (const { id } of open) await finishErasure(context, id);
  return emptyMarkedLog(connection, patienceMs);
}

async function finishErasure(context: SqliteContext, id: string): Promise<void> {
  const { connection, index } = context;
  const { sql, read, write } = connection;
  const subscriptions: { id: string }[] = await read(() =>
    sql("SELECT id FROM subscription WHERE publisher_id = ?").all(id),
  );
  for (const subscription of subscriptions) await removeSubscriptionRows(connection, subscription.id);
  const eraseAll = (some: (most: number) => number) =>
    inSteps(Number.POSITIVE_INFINITY, ROWS_PER_WRITE, (most) => write(() => some(most)));
  await eraseAll((most) => {
    const posts: { id: string }[] = sql("SELECT id FROM post WHERE publisher_id = ? LIMIT ?").all(id, most);
    return eraseWithReplies(
      context,
      posts.map((post) => post.id),
      most,
    );
  });
  await eraseAll((most) => eraseReports(connection, `key:${id}`, most));
  await eraseAll((most) => eraseInboxRows(connection, id, most));
  await write(() => {
    sql("DELETE FROM publisher WHERE id = ? AND erasing = 1").run(id);
    index.forgetPublisher(id);
    markLog(connection);
  });
}

/** Erases at most `most` of the posts and the replies to them; returns how many, 0 when all are gone. */
function eraseWithReplies(context: SqliteContext, ids: readonly string[], most: number): number {
  const { sql } = context.connection;
  let erased = 0;
  for (const id of ids) {
    const replies: PostRow[] = sql(`${SELECT_POST} WHERE p.parent_id = ? LIMIT ?`).all(id, most - erased);
    for (const reply of replies) eraseRow(context, reply);
    erased += replies.length;
    if (erased >= most) break;
    const row: PostRow | undefined = sql(`${SELECT_POST} WHERE p.id = ?`).get(id);
    // A reply among `ids` may have gone with its root.
    if (row === undefined) continue;
    eraseRow(context, row);
    erased += 1;
    if (row.parent_id !== null && row.state === "active") recountReplyRows(context, row.parent_id);
    if (erased >= most) break;
  }
  return erased;
}

function eraseRow(context: SqliteContext, row: PostRow): void {
  const { sql } = context.connection;
  if (row.state !== "removed") {
    sql("UPDATE publisher SET post_count = post_count - 1 WHERE id = ?").run(row.publisher_id);
  }
  if (row.state === "active") indexPost(context, row.seq, storedPostOfRow(row), null);
  // Foreign keys take text, vector, work, deliveries, reports and inbox entries along.
  sql("DELETE FROM post WHERE seq = ?").run(row.seq);
}

function eraseReports({ sql }: SqliteConnection, reporter: string, most: number): number {
  return sql("DELETE FROM report WHERE seq IN (SELECT seq FROM report WHERE reporter = ? LIMIT ?)").run(
    reporter,
    most,
  ).changes as number;
}
