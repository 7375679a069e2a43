import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../../../platform/time.ts";
import type { BoardCounts, StatisticsStore } from "../../../ports/store/index.ts";
import type { Kind } from "../../../schema/post.ts";
import { countLive } from "../../rules/statistics.ts";
import type { SqliteContext } from "../database/connection.ts";

const TOP_TAGS = 25;
/** This many index rows are read in one go, which takes a few milliseconds. */
const ROWS_PER_STEP = 20_000;
/** The text of this many posts is read in one go, for its tags. */
const TEXTS_PER_STEP = 1000;
const PUBLISHERS_PER_STEP = 4000;

/** Counts posts that are not removed and expire in a range of times; the index `post_live` answers. */
const LIVE = "FROM post WHERE state <> 'removed' AND expires_at > ? AND expires_at <= ?";

export function sqliteStatisticsStore({ connection }: SqliteContext): StatisticsStore {
  const { sql, read, writeRelaxed } = connection;
  return {
    async counts(now) {
      let activePosts = 0;
      // By kind it takes fifteen times as long, and every answer has the count.
      for await (const range of liveRanges(now, ROWS_PER_STEP))
        activePosts += await read(() => sql(`SELECT count(*) AS n ${LIVE}`).get(...range).n);
      return { activePosts, ...(await othersAt(now)) };
    },

    async overview(now, days) {
      const subscriptions: number = await read(
        () => sql("SELECT count(*) AS n FROM subscription WHERE active = 1").get().n,
      );
      return {
        ...countLive(await livePosts(now)),
        ...(await othersAt(now)),
        subscriptions,
        topTags: await topTags(now),
        postsByDay: await postsByDay(now, days),
      };
    },

    async add(counts) {
      if (counts.length === 0) return;
      await writeRelaxed(() => {
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
          (SELECT count(*) FROM post WHERE created_at >= ?) AS postsToday`,
      ).get(dayOf(now) * DAY_MS),
    }));
  }

  /** Gives ranges of expiry, each with about this many live posts. */
  async function* liveRanges(now: number, size: number): AsyncGenerator<[after: number, to: number]> {
    for (let after = now; after < Number.MAX_SAFE_INTEGER; await nextTurn()) {
      const last = `SELECT expires_at ${LIVE} ORDER BY expires_at LIMIT 1 OFFSET ?`;
      const to: number = await read(
        () => sql(last).get(after, Number.MAX_SAFE_INTEGER, size - 1)?.expires_at ?? Number.MAX_SAFE_INTEGER,
      );
      yield [after, to];
      after = to;
    }
  }

  async function livePosts(now: number): Promise<Parameters<typeof countLive>[0]> {
    const rows: { kind: Kind; isRelayed: boolean; n: number }[] = [];
    for await (const range of liveRanges(now, ROWS_PER_STEP)) {
      const step = await read(() =>
        sql(`SELECT kind, syndicated, count(*) AS n ${LIVE} GROUP BY kind, syndicated`).all(...range),
      );
      for (const { kind, syndicated, n } of step) rows.push({ kind, isRelayed: syndicated === 1, n });
    }
    return rows;
  }

  async function topTags(now: number): Promise<{ tag: string; count: number }[]> {
    const counts = new Map<string, number>();
    for await (const range of liveRanges(now, TEXTS_PER_STEP)) {
      const rows: { tag: string; n: number }[] = await read(() =>
        sql(
          `SELECT t.value AS tag, count(*) AS n FROM post p
            CROSS JOIN post_content c ON c.post = p.seq CROSS JOIN json_each(c.tags) t
          WHERE p.state <> 'removed' AND p.state = 'active' AND p.expires_at > ? AND p.expires_at <= ?
          GROUP BY t.value`,
        ).all(...range),
      );
      for (const { tag, n } of rows) counts.set(tag, (counts.get(tag) ?? 0) + n);
    }
    return [...counts]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, TOP_TAGS)
      .map(([tag, count]) => ({ tag, count }));
  }

  async function postsByDay(now: number, days: number): Promise<{ day: string; posts: number }[]> {
    const counted: { day: string; posts: number }[] = [];
    for (let day = dayOf(now) - days + 1; day <= dayOf(now); day += 1) {
      const posts: number = await read(
        () =>
          sql("SELECT count(*) AS n FROM post WHERE created_at >= ? AND created_at < ?").get(
            day * DAY_MS,
            (day + 1) * DAY_MS,
          ).n,
      );
      counted.push({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), posts });
      await nextTurn();
    }
    return counted;
  }
}

/** Counts days since 1970. */
const dayOf = (time: number) => Math.floor(time / DAY_MS);
