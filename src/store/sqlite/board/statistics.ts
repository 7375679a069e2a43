import { setImmediate as nextTurn } from "node:timers/promises";
import type { BoardCounts, StatisticsStore } from "../../../ports/store/index.ts";
import { KINDS, type Kind } from "../../../schema/post.ts";
import type { SqliteContext } from "../database/context.ts";

const DAY_MS = 86_400_000;
const TOP_TAGS = 25;
/** Index rows read in one go, which takes a few milliseconds. */
const ROWS_PER_STEP = 20_000;
const PUBLISHERS_PER_STEP = 4000;

/**
 * Posts that are not removed and expire in a range of times; the index `post_live` answers. Whole days of them are counted
 * already: triggers keep `live_posts` and `created_posts`.
 */
const LIVE = "FROM post WHERE state <> 'removed' AND expires_at > ? AND expires_at <= ?";

/** Posts of a kind, relayed or not. */
interface LiveRow {
  kind: Kind;
  syndicated: number;
  n: number;
}

export function sqliteStatisticsStore({ connection }: SqliteContext): StatisticsStore {
  const { sql, read, write } = connection;
  return {
    async counts(now) {
      const rows = await livePosts(now);
      return { activePosts: rows.reduce((sum, { n }) => sum + n, 0), ...(await othersAt(now)) };
    },

    async overview(now, days) {
      const subscriptions: number = await read(
        () => sql("SELECT count(*) AS n FROM subscription WHERE active = 1").get().n,
      );
      const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
      let syndicated = 0;
      for (const row of await livePosts(now)) {
        kinds[row.kind] += row.n;
        if (row.syndicated === 1) syndicated += row.n;
      }
      const activePosts = Object.values(kinds).reduce((sum, n) => sum + n, 0);
      return {
        activePosts,
        ...(await othersAt(now)),
        firstHand: activePosts - syndicated,
        syndicated,
        subscriptions,
        kinds,
        topTags: await topTags(now),
        postsByDay: await postsByDay(now, days),
      };
    },

    async add(counts) {
      if (counts.length === 0) return;
      await write(() => {
        for (const { day, name, n } of counts) {
          sql("INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n").run(
            day,
            name,
            n,
          );
        }
      });
    },

    read: (since) =>
      read(() =>
        sql("SELECT day, name, n FROM counter WHERE day >= ? ORDER BY day, name")
          .all(since)
          .map((row) => ({ ...row })),
      ),

    async activePublishers(from, to) {
      const seen = new Set<string>();
      let after: { at: number; publisher: string } | null = { at: from, publisher: "" };
      while (after !== null) {
        const start: { at: number; publisher: string } = after;
        // A publisher's posts of one moment count once, so (time, publisher) is enough to go on from.
        const rows: { at: number; publisher: string }[] = await read(() =>
          sql(
            `SELECT DISTINCT created_at AS at, publisher_id AS publisher FROM post
            WHERE (created_at, publisher_id) > (?, ?) AND created_at < ? ORDER BY created_at, publisher_id LIMIT ?`,
          ).all(start.at, start.publisher, to, PUBLISHERS_PER_STEP),
        );
        for (const { publisher } of rows) seen.add(publisher);
        after = rows.length < PUBLISHERS_PER_STEP ? null : (rows.at(-1) ?? null);
        await nextTurn();
      }
      return seen.size;
    },
  };

  function othersAt(now: number): Promise<Omit<BoardCounts, "activePosts">> {
    return read(() => ({
      ...sql(
        `SELECT
          (SELECT count(*) FROM publisher) - (SELECT count(*) FROM publisher WHERE erasing = 1) AS publishers,
          coalesce((SELECT n FROM created_posts WHERE day = ?), 0) AS postsToday`,
      ).get(dayOf(now)),
    }));
  }

  /** The posts that expire later today are counted one by one, `ROWS_PER_STEP` at a time, the others by days. */
  async function livePosts(now: number): Promise<LiveRow[]> {
    const rows: LiveRow[] = await read(() =>
      sql("SELECT kind, syndicated, sum(n) AS n FROM live_posts WHERE day > ? GROUP BY kind, syndicated").all(
        dayOf(now),
      ),
    );
    const midnight = (dayOf(now) + 1) * DAY_MS - 1;
    for (let after = now; after < midnight; await nextTurn()) {
      const last: { expires_at: number } | undefined = await read(() =>
        sql(`SELECT expires_at ${LIVE} ORDER BY expires_at LIMIT 1 OFFSET ?`).get(
          after,
          midnight,
          ROWS_PER_STEP - 1,
        ),
      );
      const to = last?.expires_at ?? midnight;
      const step: LiveRow[] = await read(() =>
        sql(`SELECT kind, syndicated, count(*) AS n ${LIVE} GROUP BY kind, syndicated`).all(after, to),
      );
      rows.push(...step);
      after = to;
    }
    return rows;
  }

  async function topTags(now: number): Promise<{ tag: string; count: number }[]> {
    const counts = new Map<string, number>();
    let after: TagRow | null = { tag: "", expires_at: 0, post: 0 };
    while (after !== null) {
      const from: TagRow = after;
      const range = "(tag, expires_at, post) > (?, ?, ?)";
      const last: TagRow | undefined = await read(() =>
        sql(
          `SELECT tag, expires_at, post FROM post_tag WHERE ${range} ORDER BY tag, expires_at, post LIMIT 1 OFFSET ?`,
        ).get(from.tag, from.expires_at, from.post, ROWS_PER_STEP - 1),
      );
      const rows: { tag: string; n: number }[] = await read(() =>
        last === undefined
          ? sql(`SELECT tag, sum(expires_at > ?) AS n FROM post_tag WHERE ${range} GROUP BY tag`).all(
              now,
              from.tag,
              from.expires_at,
              from.post,
            )
          : sql(
              `SELECT tag, sum(expires_at > ?) AS n FROM post_tag
              WHERE ${range} AND (tag, expires_at, post) <= (?, ?, ?) GROUP BY tag`,
            ).all(now, from.tag, from.expires_at, from.post, last.tag, last.expires_at, last.post),
      );
      for (const { tag, n } of rows) counts.set(tag, (counts.get(tag) ?? 0) + n);
      after = last ?? null;
      await nextTurn();
    }
    return [...counts]
      .filter(([, count]) => count > 0)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, TOP_TAGS)
      .map(([tag, count]) => ({ tag, count }));
  }

  function postsByDay(now: number, days: number): Promise<{ day: string; posts: number }[]> {
    return read(() =>
      Array.from({ length: days }, (_, nth) => {
        const day = dayOf(now) - days + 1 + nth;
        const row = sql("SELECT n FROM created_posts WHERE day = ?").get(day);
        return { day: new Date(day * DAY_MS).toISOString().slice(0, 10), posts: row?.n ?? 0 };
      }),
    );
  }
}

/** Days since 1970, as triggers have them. */
const dayOf = (time: number) => Math.floor(time / DAY_MS);

interface TagRow {
  tag: string;
  expires_at: number;
  post: number;
}
