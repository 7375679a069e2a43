import { DAY_MS } from "../../../platform/time.ts";
import type { StatisticsStore } from "../../../ports/store/index.ts";
import type { Kind } from "../../../schema/post.ts";
import { countLive } from "../../rules/statistics.ts";
import type { Collections, MongodbContext } from "../database/context.ts";

const TOP_TAGS = 25;

export function mongodbStatisticsStore(context: MongodbContext): StatisticsStore {
  const { connection, collections } = context;
  const { run, runLong } = connection;
  const { posts, subscriptions, daily_counters } = collections;
  return {
    counts: (now) =>
      runLong(async () => {
        const { activePosts, publishers, postsToday } = await countsAt(collections, now);
        return { activePosts, publishers, postsToday };
      }),

    overview: (now, days) =>
      runLong(async () => {
        const [counts, active, topTags, postsByDay] = await Promise.all([
          countsAt(collections, now),
          subscriptions.countDocuments({ active: true }),
          countTopTags(posts, now),
          byDay(posts, now, days),
        ]);
        return { ...counts, subscriptions: active, topTags, postsByDay };
      }),

    async add(counts) {
      if (counts.length === 0) return;
      await run(() => daily_counters.bulkWrite(counts.map(counterChange), { ordered: false }));
    },

    read: (since) =>
      run(() =>
        // An id is the day and the name, so this is the promised order.
        daily_counters
          .find({ _id: { $gte: since } }, { sort: { _id: 1 } })
          .map(({ day, name, n }) => ({ day, name, n }))
          .toArray(),
      ),

    activePublishers: (from, to) =>
      runLong(async () => {
        const [found] = await posts
          .aggregate<{ n: number }>([
            { $match: { created_at: { $gte: new Date(from), $lt: new Date(to) } } },
            { $group: { _id: "$publisher_id" } },
            { $count: "n" },
          ])
          .toArray();
        return found?.n ?? 0;
      }),
  };
}

export const counterChange = ({ day, name, n }: { day: string; name: string; n: number }) => ({
  updateOne: {
    filter: { _id: `${day} ${name}` },
    update: { $inc: { n }, $setOnInsert: { day, name } },
    upsert: true,
  },
});

async function countsAt({ posts, publishers }: Collections, now: number) {
  const [live, known, postsToday] = await Promise.all([
    liveByKind(posts, now),
    publishers.countDocuments({ erasing: false }),
    posts.countDocuments({ created_at: { $gte: new Date(now - (now % DAY_MS)) } }),
  ]);
  return { ...countLive(live), publishers: known, postsToday };
}

/** Counts posts neither expired nor removed. */
const liveByKind = (posts: Collections["posts"], now: number) =>
  posts
    .aggregate<{ kind: Kind; isRelayed: boolean; n: number }>([
      { $match: { state: { $in: ["active", "hidden"] }, expires_at: { $gt: new Date(now) } } },
      { $group: { _id: { kind: "$kind", isRelayed: "$syndicated" }, n: { $sum: 1 } } },
      { $project: { _id: 0, kind: "$_id.kind", isRelayed: "$_id.isRelayed", n: 1 } },
    ])
    .toArray();

async function byDay(
  posts: Collections["posts"],
  now: number,
  days: number,
): Promise<{ day: string; posts: number }[]> {
  const today = now - (now % DAY_MS);
  const first = today - (days - 1) * DAY_MS;
  const found = await posts
    .aggregate<{ _id: string; n: number }>([
      { $match: { created_at: { $gte: new Date(first), $lt: new Date(today + DAY_MS) } } },
      { $group: { _id: { $dateToString: { date: "$created_at", format: "%Y-%m-%d" } }, n: { $sum: 1 } } },
    ])
    .toArray();
  const counts = new Map(found.map(({ _id, n }) => [_id, n]));
  return Array.from({ length: days }, (_, i) => {
    const day = new Date(first + i * DAY_MS).toISOString().slice(0, 10);
    return { day, posts: counts.get(day) ?? 0 };
  });
}

function countTopTags(posts: Collections["posts"], now: number): Promise<{ tag: string; count: number }[]> {
  return posts
    .aggregate<{ tag: string; count: number }>([
      { $match: { state: "active", expires_at: { $gt: new Date(now) } } },
      { $unwind: "$tags" },
      { $group: { _id: "$tags", count: { $sum: 1 } } },
      { $sort: { count: -1, _id: 1 } },
      { $limit: TOP_TAGS },
      { $project: { _id: 0, tag: "$_id", count: 1 } },
    ])
    .toArray();
}
