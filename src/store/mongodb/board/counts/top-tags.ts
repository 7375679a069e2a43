import type { Collection } from "mongodb";
import type { PostDocument } from "../../schema/documents.ts";

const TOP_TAGS = 25;

/** The most frequent tags of active posts, equal ones by name; reads all of these posts. */
export function countTopTags(
  posts: Collection<PostDocument>,
  now: number,
): Promise<{ tag: string; count: number }[]> {
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
