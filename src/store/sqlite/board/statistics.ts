import { setImmediate as nextTurn } from "node:timers/promises";
import type { BoardCounts, StatisticsStore } from "../../../ports/store/index.ts";
import { KINDS, type Kind } from "../../../schema/post.ts";
import type { SqliteContext } from "../database/context.ts";

const DAY_MS = 86_400_000;
const TOP_TAGS = 25;
/** Index rows read in one go, which takes a few milliseconds. */
const ROWS_PER_STEP = 20_000;
const PUBLISHERS_PER_STEP = 4000;

/** Posts that are not removed and expire in a range of times; the index `post_live` answers. */
const LIVE = "FROM post WHERE state <> 'removed' AND expires_at > ? AND expires_at <= ?";
const KIND_SUMS = KINDS.map((kind) => `sum(kind = '${kind}') AS ${kind}`).join(", ");

export function sqliteStatisticsStore({ connection }: SqliteContext): StatisticsStore {
  const { sql, read, write } = connection;
  return {
    kept: null,
    async counts(now) {
      let activePosts = 0;
      for await (const [after, to] of liveRanges(now)) {
        activePosts += await read(() => sql(`SELECT count(*) AS n ${LIVE}`).get(after, to).n);
      }
      return { activePosts, ...(await othersAt(now)) };
    },

    async overview(now, days) {
      const subscriptions: number = await read(
        () => sql("SELECT count(*) AS n FROM subscription WHERE active = 1").get().n,
      );
      const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
      let syndicated = 0;
      for await (const [after, to] of liveRanges(now)) {
        const row: Record<string, number | null> = await read(() =>
          sql(`SELECT sum(syndicated) AS syndicated, ${KIND_SUMS} ${LIVE}`).get(after, to),
        );
        syndicated += row["syndicated"] ?? 0;
        for (const kind of KINDS) kinds[kind] += row[kind] ?? 0;
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
          (SELECT count(*) FROM post WHERE created_at >= ?) AS postsToday`,
      ).get(now - (now % DAY_MS)),
    }));
  }

  /** Ranges of expiry times that cover all live posts, `ROWS_PER_STEP` in each, with a turn of the event loop between. */
  async function* liveRanges(now: number): AsyncGenerator<readonly [after: number, to: number]> {
    let after = now;
    for (;;) {
      const last: { expires_at: number } | undefined = await read(() =>
        sql(`SELECT expires_at ${LIVE} ORDER BY expires_at LIMIT 1 OFFSET ?`).get(
          after,
          Number.MAX_SAFE_INTEGER,
          ROWS_PER_STEP - 1,
        ),
      );
      yield [after, last?.expires_at ?? Number.MAX_SAFE_INTEGER];
      if (last === undefined) return;
      after = last.expires_at;
      await nextTurn();
    }
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
