import type { Connection } from "../database/connection.ts";
import type { Parts } from "../database/context.ts";
import { type PostRow, postOf, SELECT_POST } from "../database/rows.ts";
import { eraseInbox } from "../subscriptions/inbox.ts";
import { removeSubscription } from "../subscriptions/index.ts";
import { requeue } from "../webhooks/queue.ts";
import { recountReplies, replaceTags } from "./changes.ts";

/** Rows erased in one transaction, so that neither the event loop nor other processes wait long. */
const ROWS_PER_WRITE = 50;

/** Erases posts that expired, or were removed, before the given times. Replies go before their root. */
export async function erasePosts(
  parts: Parts,
  before: { expired: number; removed: number },
  limit: number,
): Promise<number> {
  const { sql, write } = parts.connection;
  let erased = 0;
  while (erased < limit) {
    const count = await write(() => {
      const most = Math.min(ROWS_PER_WRITE, limit - erased);
      const removed: { id: string }[] = sql(
        "SELECT id FROM post WHERE state = 'removed' AND removed_at < ? ORDER BY removed_at LIMIT ?",
      ).all(before.removed, most);
      const roots =
        removed.length > 0
          ? removed
          : (sql(
              "SELECT id FROM post WHERE state <> 'removed' AND expires_at < ? ORDER BY expires_at LIMIT ?",
            ).all(before.expired, most) as { id: string }[]);
      return eraseWithReplies(
        parts,
        roots.map(({ id }) => id),
        most,
      );
    });
    if (count === 0) break;
    erased += count;
  }
  if (erased > 0) await parts.connection.emptyLog();
  return erased;
}

/** See `PublisherStore.erase`. Its key fails and its posts leave the search with the first transaction. */
export async function erasePublisher(
  parts: Parts,
  id: string,
): Promise<{ posts: number; subscriptions: number } | null> {
  const { sql, write } = parts.connection;
  const counts = await write(() => {
    const publisher: { post_count: number } | undefined = sql(
      "SELECT post_count FROM publisher WHERE id = ? AND erasing = 0",
    ).get(id);
    if (publisher === undefined) return null;
    sql(
      `UPDATE publisher SET erasing = 1, key_hash = 'erased ' || seq, name = '', description = NULL, url = NULL,
        domain = NULL, verify_token = NULL, verified_at = NULL WHERE id = ?`,
    ).run(id);
    parts.index.putPublisher(id, { verified: false, suspended: true });
    // At most as many as a publisher may have active; nothing is pushed to them from here on.
    const stopped: { seq: number }[] = sql(
      "UPDATE subscription SET active = 0 WHERE publisher_id = ? AND active = 1 RETURNING seq",
    ).all(id);
    requeue(
      parts.connection,
      stopped.map(({ seq }) => seq),
    );
    const { n } = sql("SELECT count(*) AS n FROM subscription WHERE publisher_id = ?").get(id);
    return { posts: publisher.post_count, subscriptions: n as number };
  });
  if (counts !== null) await finishErasure(parts, id);
  return counts;
}

/** Goes on with erasures that a crash interrupted. */
export async function finishErasures(parts: Parts): Promise<void> {
  const { sql, read } = parts.connection;
  const open: { id: string }[] = await read(() => sql("SELECT id FROM publisher WHERE erasing = 1").all());
  for (const { id } of open) await finishErasure(parts, id);
}

async function finishErasure(parts: Parts, id: string): Promise<void> {
  const { connection, index } = parts;
  const { sql, read, write } = connection;
  const subscriptions: { id: string }[] = await read(() =>
    sql("SELECT id FROM subscription WHERE publisher_id = ?").all(id),
  );
  for (const subscription of subscriptions) await removeSubscription(connection, subscription.id);
  while (true) {
    const left = await write(() => {
      const posts: { id: string }[] = sql("SELECT id FROM post WHERE publisher_id = ? LIMIT ?").all(
        id,
        ROWS_PER_WRITE,
      );
      return eraseWithReplies(
        parts,
        posts.map((post) => post.id),
        ROWS_PER_WRITE,
      );
    });
    if (left === 0) break;
  }
  while ((await write(() => eraseReports(connection, `key:${id}`))) > 0);
  while ((await write(() => eraseInbox(connection, id, ROWS_PER_WRITE))) > 0);
  await write(() => {
    sql("DELETE FROM publisher WHERE id = ? AND erasing = 1").run(id);
    index.removePublisher(id);
  });
  // The text is gone from the pages; the log still holds older copies of them.
  await connection.emptyLog();
}

/** Erases at most `most` of the posts and of the replies to them; resolves to how many, 0 when all are gone. */
function eraseWithReplies(parts: Parts, ids: readonly string[], most: number): number {
  const { sql } = parts.connection;
  let erased = 0;
  for (const id of ids) {
    const replies: PostRow[] = sql(`${SELECT_POST} WHERE p.parent_id = ? LIMIT ?`).all(id, most - erased);
    for (const reply of replies) eraseRow(parts, reply);
    erased += replies.length;
    if (erased >= most) break;
    const row: PostRow | undefined = sql(`${SELECT_POST} WHERE p.id = ?`).get(id);
    // A reply among `ids` may have gone with its root.
    if (row === undefined) continue;
    eraseRow(parts, row);
    erased += 1;
    if (row.parent_id !== null && row.state === "active") recountReplies(parts, row.parent_id);
    if (erased >= most) break;
  }
  return erased;
}

function eraseRow(parts: Parts, row: PostRow): void {
  const { sql } = parts.connection;
  replaceTags(parts, row.seq, postOf(row), null);
  if (row.state !== "removed") {
    sql("UPDATE publisher SET post_count = post_count - 1 WHERE id = ?").run(row.publisher_id);
  }
  parts.index.remove(row.id);
  // Text, vector, work, deliveries, reports and inbox entries go along by their foreign keys.
  sql("DELETE FROM post WHERE seq = ?").run(row.seq);
}

function eraseReports({ sql }: Connection, reporter: string): number {
  const reports: { seq: number; post: number }[] = sql(
    "SELECT seq, post FROM report WHERE reporter = ? LIMIT ?",
  ).all(reporter, ROWS_PER_WRITE);
  for (const { seq, post } of reports) {
    sql("DELETE FROM report WHERE seq = ?").run(seq);
    sql("UPDATE reported_post SET reporters = reporters - 1 WHERE post = ?").run(post);
    sql("DELETE FROM reported_post WHERE post = ? AND reporters = 0").run(post);
  }
  return reports.length;
}
