import type { ClientSession, Collection } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { type Counted, createdIn } from "./hours.ts";

/** What one run writes, so that its transaction ends soon. */
const CHANGES_MAX = 2_000;

/** A tag of an hour: how many posts have it now, 0 for none, and how many more than before. */
export interface TagChange {
  hour: number;
  tag: string;
  posts: number;
  more: number;
}

/**
 * Counts tags, of active posts, and compares them with `counted_tags`.
 * @returns `changes` of hours before `since`; the hours `left` have more of them than one run writes. `latest` are the tags
 *   since then, which are not stored: the current hour changes all the time
 */
export async function compareTags(
  { posts, counted_tags }: Pick<Collections, "posts" | "counted_tags">,
  counted: Counted,
  session: ClientSession,
): Promise<{ changes: TagChange[]; left: Set<number>; latest: Map<string, number> }> {
  const { hours, since } = counted;
  const [now, before] = await Promise.all([
    countTags(posts, counted, session),
    counted_tags
      .find(
        {
          $or: [
            { "_id.hour": { $in: hours.map((hour) => new Date(hour)) } },
            // There are some after a run of a process whose clock is ahead.
            { "_id.hour": { $gte: new Date(since) } },
          ],
        },
        { session },
      )
      .toArray(),
  ]);
  const latest = new Map<string, number>();
  const changes = new Map<string, TagChange>();
  for (const { _id, posts } of now) {
    const hour = _id.hour.getTime();
    const { tag } = _id;
    if (hour >= since) latest.set(tag, (latest.get(tag) ?? 0) + posts);
    else changes.set(`${hour} ${tag}`, { hour, tag, posts, more: posts });
  }
  for (const { _id, posts } of before) {
    const hour = _id.hour.getTime();
    const key = `${hour} ${_id.tag}`;
    const change = changes.get(key) ?? { hour, tag: _id.tag, posts: 0, more: 0 };
    changes.set(key, { ...change, more: change.more - posts });
  }
  // By the hour, so that the tags of few hours are left.
  const all = [...changes.values()].filter(({ more }) => more !== 0).sort((a, b) => a.hour - b.hour);
  const left = all.slice(CHANGES_MAX).map(({ hour }) => hour);
  return { changes: all.slice(0, CHANGES_MAX), left: new Set(left), latest };
}

function countTags(
  posts: Collection<PostDocument>,
  { hours, since, now }: Counted,
  session: ClientSession,
): Promise<{ _id: { hour: Date; tag: string }; posts: number }[]> {
  return posts
    .aggregate<{ _id: { hour: Date; tag: string }; posts: number }>(
      [
        { $match: { ...createdIn({ hours, since }), state: "active", expires_at: { $gt: new Date(now) } } },
        { $project: { hour: { $dateTrunc: { date: "$created_at", unit: "hour" } }, tag: "$tags" } },
        { $unwind: "$tag" },
        { $group: { _id: { hour: "$hour", tag: "$tag" }, posts: { $sum: 1 } } },
      ],
      { session, hint: "created" },
    )
    .toArray();
}
