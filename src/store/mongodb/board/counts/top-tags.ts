import { Buffer } from "node:buffer";
import type { ClientSession, Collection } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { PostDocument } from "../../schema/documents.ts";

const TOP_TAGS = 25;

interface TopTag {
  tag: string;
  count: number;
}

/**
 * The most frequent tags, equal ones by name: by the totals, which hold the hours before the latest, and the counts of the
 * latest ones.
 *
 * The first 25 totals suffice, with those of some tags of the latest hours. Any other total is at most `least`, the last of
 * the 25, or equals it and comes later by name. So a tag without posts in the latest hours has 25 before it; and so has one
 * whose posts there, added to `least`, are fewer than each of the 25 has in all.
 */
export async function topTags(
  { tag_totals }: Pick<Collections, "tag_totals">,
  latest: ReadonlyMap<string, number>,
  session: ClientSession,
): Promise<TopTag[]> {
  const most = await tag_totals
    .find({ posts: { $gt: 0 } }, { session })
    .sort({ posts: -1, _id: 1 })
    .limit(TOP_TAGS)
    .toArray();
  const totals = new Map(most.map(({ _id, posts }) => [_id, posts]));
  const least = most[TOP_TAGS - 1]?.posts ?? 0;
  const bound = Math.min(...[...totals].map(([tag, posts]) => posts + (latest.get(tag) ?? 0)));
  const others = [...latest].flatMap(([tag, posts]) =>
    !totals.has(tag) && (least === 0 || posts + least >= bound) ? tag : [],
  );
  if (least > 0 && others.length > 0) {
    const found = await tag_totals.find({ _id: { $in: others } }, { session }).toArray();
    for (const { _id, posts } of found) totals.set(_id, posts);
  }
  return [...new Set([...totals.keys(), ...others])]
    .map((tag) => ({ tag, count: (totals.get(tag) ?? 0) + (latest.get(tag) ?? 0) }))
    .sort(byCount)
    .slice(0, TOP_TAGS);
}

/** As the database compares names: by their bytes. */
const byCount = (a: TopTag, b: TopTag): number =>
  b.count - a.count || Buffer.compare(Buffer.from(a.tag), Buffer.from(b.tag));

/** The same by all active posts, which it reads. */
export function countTopTags(posts: Collection<PostDocument>, now: number): Promise<TopTag[]> {
  return posts
    .aggregate<TopTag>([
      { $match: { state: "active", expires_at: { $gt: new Date(now) } } },
      { $unwind: "$tags" },
      { $group: { _id: "$tags", count: { $sum: 1 } } },
      { $sort: { count: -1, _id: 1 } },
      { $limit: TOP_TAGS },
      { $project: { _id: 0, tag: "$_id", count: 1 } },
    ])
    .toArray();
}
