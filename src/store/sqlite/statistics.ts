import { setImmediate as nextTurn } from "node:timers/promises";
import type { BoardCounts, StatisticsStore } from "../../ports/store.ts";
import { KINDS, type Kind } from "../../schema/post.ts";
import type { Parts } from "./parts.ts";

const DAY_MS = 86_400_000;
const TOP_TAGS = 25;
/** Index rows looked at in one go: a few milliseconds. */
const ROWS_PER_STEP = 20_000;
const PUBLISHERS_PER_STEP = 4000;

export function statisticsStore({ connection }: Parts): StatisticsStore {
  const { sql, read, write } = connection;
  return {
    counts: (now) => read(() => countsAt(now)),

    async overview(now, days) {
      const counts = await read(() => countsAt(now));
      const subscriptions: number = await read(
        () => sql("SELECT count(*) AS n FROM subscription WHERE active = 1").get().n,
      );
      const { kinds, syndicated, posts } = await liveByKind(now);
      return {
        ...counts,
        firstHand: posts - syndicated,
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
        // A publisher's posts of one moment count once, so that (time, publisher) alone tells where to go on.
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

  function countsAt(now: number): BoardCounts {
    const row = sql(
      `SELECT
        (SELECT count(*) FROM post WHERE state <> 'removed' AND expires_at > ?) AS activePosts,
        (SELECT count(*) FROM publisher) - (SELECT count(*) FROM publisher WHERE erasing = 1) AS publishers,
        (SELECT count(*) FROM post WHERE created_at >= ?) AS postsToday`,
    ).get(now, now - (now % DAY_MS));
    return { ...row };
  }

  async function liveByKind(
    now: number,
  ): Promise<{ kinds: Record<Kind, number>; syndicated: number; posts: number }> {
    const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    let syndicated = 0;
    let posts = 0;
    for (const kind of KINDS) {
      const row: { n: number; relayed: number | null } = await read(() =>
        sql(
          `SELECT count(*) AS n, sum(syndicated) AS relayed FROM post
          WHERE state <> 'removed' AND expires_at > ? AND kind = ?`,
        ).get(now, kind),
      );
      kinds[kind] = row.n;
      syndicated += row.relayed ?? 0;
      posts += row.n;
      await nextTurn();
    }
    return { kinds, syndicated, posts };
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

  async function postsByDay(now: number, days: number): Promise<{ day: string; posts: number }[]> {
    const today = now - (now % DAY_MS);
    const out: { day: string; posts: number }[] = [];
    for (let start = today - (days - 1) * DAY_MS; start <= today; start += DAY_MS) {
      const { n } = await read(() =>
        sql("SELECT count(*) AS n FROM post WHERE created_at >= ? AND created_at < ?").get(
          start,
          start + DAY_MS,
        ),
      );
      out.push({ day: new Date(start).toISOString().slice(0, 10), posts: n });
      await nextTurn();
    }
    return out;
  }
}

interface TagRow {
  tag: string;
  expires_at: number;
  post: number;
}
