import type { ClientSession, Collection, Filter } from "mongodb";
import { KINDS, type Kind } from "../../../../schema/post.ts";
import type { CountedHourDocument } from "../../schema/counts.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { hourAfter, hourOf } from "./marks.ts";

interface Group {
  _id: { hour: Date; kind: Kind; syndicated: boolean };
  created: number;
  live: number;
  next: Date | null;
}

/** What is counted: the posts created in these hours, and those from `since` on. */
export interface Counted {
  hours: readonly number[];
  since: number;
  now: number;
}

/**
 * Counts posts by hour, kind and source. Reads them by the index of creation times.
 * @returns a document for each hour that has posts, without tags
 */
export async function countHours(
  posts: Collection<PostDocument>,
  { hours, since, now }: Counted,
  session: ClientSession,
): Promise<Map<number, CountedHourDocument>> {
  const isLive = { $and: [{ $ne: ["$state", "removed"] }, { $gt: ["$expires_at", new Date(now)] }] };
  const groups = posts.aggregate<Group>(
    [
      { $match: createdIn({ hours, since }) },
      {
        $group: {
          _id: {
            hour: { $dateTrunc: { date: "$created_at", unit: "hour" } },
            kind: "$kind",
            syndicated: "$syndicated",
          },
          created: { $sum: 1 },
          live: { $sum: { $cond: [isLive, 1, 0] } },
          // $min passes over null.
          next: { $min: { $cond: [isLive, "$expires_at", null] } },
        },
      },
    ],
    { session, hint: "created" },
  );
  const counted = new Map<number, CountedHourDocument>();
  for await (const { _id, created, live, next } of groups) {
    const hour = hourOf(_id.hour.getTime());
    const sum = counted.get(hour) ?? emptyHour(hour);
    sum.created += created;
    sum.kinds[_id.kind] += live;
    if (_id.syndicated) sum.syndicated += live;
    if (next !== null && (sum.next_expiry === null || next < sum.next_expiry)) sum.next_expiry = next;
    counted.set(hour, sum);
  }
  return counted;
}

export const createdIn = ({ hours, since }: Pick<Counted, "hours" | "since">): Filter<PostDocument> => ({
  $or: [
    ...hours.map((hour) => ({ created_at: { $gte: new Date(hour), $lt: new Date(hourAfter(hour)) } })),
    { created_at: { $gte: new Date(since) } },
  ],
});

export const emptyHour = (hour: number): CountedHourDocument => ({
  _id: new Date(hour),
  created: 0,
  kinds: noKinds(),
  syndicated: 0,
  next_expiry: null,
  tagged: false,
});

export const noKinds = (): Record<Kind, number> =>
  Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
