import type { ClientSession } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { BoardCountsDocument, CountedHourDocument } from "../../schema/counts.ts";
import { hourAfter, hourOf } from "./marks.ts";

/** Which hours a run counts again beside the latest: as many that it ends soon. */

/** Hours that are due, and the posts created in them; one hour may have more. */
const HOURS_MAX = 48;
const POSTS_MAX = 50_000;
/** Hours of the walk. */
const WALK = { filling: 24, repairing: 2 } as const;

type Hours = ReadonlyMap<number, CountedHourDocument>;

/**
 * The hours before `since` whose counts are no longer right, and after them those that lack their tags.
 * @returns those to count now, and those that wait; `left` when any of these has wrong counts
 */
export function dueHours(parts: {
  known: Hours;
  marks: readonly { hours: readonly Date[] }[];
  since: number;
  now: number;
}): { hours: number[]; waiting: Set<number>; left: boolean } {
  const known = [...parts.known];
  const expired = known.flatMap(([hour, { next_expiry }]) =>
    next_expiry !== null && next_expiry.getTime() <= parts.now ? hour : [],
  );
  const marked = parts.marks.flatMap(({ hours }) => hours.map((hour) => hour.getTime()));
  const wrong = new Set([...marked, ...expired]);
  const untagged = known.flatMap(([hour, { tagged }]) => (tagged ? [] : hour));
  const due = [...new Set([...wrong, ...untagged])].filter((hour) => hour < parts.since);
  const hours = firstOf(due, parts.known);
  const waiting = due.slice(hours.length);
  return { hours, waiting: new Set(waiting), left: waiting.some((hour) => wrong.has(hour)) };
}

function firstOf(hours: readonly number[], known: Hours): number[] {
  let posts = 0;
  const end = hours.findIndex((hour, n) => {
    posts += known.get(hour)?.created ?? 0;
    return n === HOURS_MAX || (n > 0 && posts > POSTS_MAX);
  });
  return hours.slice(0, end === -1 ? hours.length : end);
}

/** The next hours of the walk: from the first at or after its place that has a post, or was counted. */
export async function walkFrom(
  { posts, counted_tags }: Collections,
  old: BoardCountsDocument | null,
  { known, since }: { known: Hours; since: number },
  session: ClientSession,
): Promise<{ hours: number[]; next: number; hasEnded: boolean }> {
  const from = old?.walk ?? new Date(0);
  const [post, tag] = await Promise.all([
    posts
      .find({ created_at: { $gte: from } }, { session, projection: { created_at: 1 } })
      .sort({ created_at: 1 })
      .limit(1)
      .next(),
    // An older release forgets an hour without posts, but not its tags.
    counted_tags
      .find({ "_id.hour": { $gte: from } }, { session, projection: { _id: 1 } })
      .sort({ "_id.hour": 1 })
      .limit(1)
      .next(),
  ]);
  const counted = [...known.keys()].filter((hour) => hour >= from.getTime());
  const firsts = [post?.created_at, tag?._id.hour].map((at) => hourOf(at?.getTime() ?? since));
  const hours: number[] = [];
  let hour = Math.min(...firsts, ...counted);
  for (let n = old?.filled ? WALK.repairing : WALK.filling; n > 0 && hour < since; n -= 1) {
    hours.push(hour);
    hour = hourAfter(hour);
  }
  return hour < since ? { hours, next: hour, hasEnded: false } : { hours, next: 0, hasEnded: true };
}
