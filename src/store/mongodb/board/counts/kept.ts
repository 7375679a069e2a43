import type { BoardCounts, BoardOverview } from "../../../../ports/store/index.ts";
import type { Collections } from "../../schema/collections.ts";
import type { BoardCountsDocument } from "../../schema/counts.ts";

const DAY_MS = 86_400_000;
/** Older figures are not given: nobody keeps them. */
const FRESH_MS = 30_000;
/** Days in `BoardCountsDocument.days`. */
export const DAYS_KEPT = 31;

/** The kept figures, or null when they are not there or too old. */
export function readKept(
  { board_counts }: Pick<Collections, "board_counts">,
  now: number,
): Promise<BoardCountsDocument | null> {
  // A process whose clock is ahead may have kept them.
  const fresh = { $gt: new Date(now - FRESH_MS), $lt: new Date(now + FRESH_MS) };
  return board_counts.findOne({ _id: "board", at: fresh });
}

export function keptCounts({ kinds, publishers, days }: BoardCountsDocument, now: number): BoardCounts {
  const today = dayOf(now);
  return {
    activePosts: sum(Object.values(kinds)),
    publishers,
    postsToday: sum(days.flatMap(({ day, posts }) => (day >= today ? posts : []))),
  };
}

/** @param days  at most `DAYS_KEPT` */
export function keptOverview(kept: BoardCountsDocument, now: number, days: number): BoardOverview {
  const counts = keptCounts(kept, now);
  const posts = new Map(kept.days.map(({ day, posts }) => [day, posts]));
  return {
    ...counts,
    firstHand: counts.activePosts - kept.syndicated,
    syndicated: kept.syndicated,
    subscriptions: kept.subscriptions,
    kinds: kept.kinds,
    topTags: kept.top_tags,
    postsByDay: Array.from({ length: days }, (_, i) => {
      const day = dayOf(now - (days - 1 - i) * DAY_MS);
      return { day, posts: posts.get(day) ?? 0 };
    }),
  };
}

/** The posts by day of all counted hours, the latest days. */
export function daysOf(hours: Iterable<{ _id: Date; created: number }>): BoardCountsDocument["days"] {
  const days = new Map<string, number>();
  for (const { _id, created } of hours) {
    const day = dayOf(_id.getTime());
    days.set(day, (days.get(day) ?? 0) + created);
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(-DAYS_KEPT)
    .map(([day, posts]) => ({ day, posts }));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
