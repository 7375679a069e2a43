import { type ClientSession, MaxKey } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { TagChange } from "./tags.ts";

/** How many documents of `counted_tags` one run adds up to see whether totals are right. */
const COMPARED_MAX = 2_000;

type TagCollections = Pick<Collections, "counted_tags" | "tag_totals">;

/**
 * A part of the walk over all tags: compares the totals of the tags after `last` with the sums of their hours.
 * @returns what is missing in totals that are wrong, and the last tag that was compared, "" after all of them
 */
export async function compareTotals(
  { counted_tags, tag_totals }: TagCollections,
  last: string,
  session: ClientSession,
): Promise<{ missing: Map<string, number>; last: string }> {
  const border = await counted_tags
    .find({ _id: { $gt: endOf(last) } }, { session, projection: { _id: 1 } })
    .sort({ _id: 1 })
    .skip(COMPARED_MAX)
    .limit(1)
    .next();
  const to = border?._id.tag;
  const [sums, totals] = await Promise.all([
    counted_tags
      .aggregate<{ _id: string; posts: number }>(
        [
          { $match: { _id: { $gt: endOf(last), ...(to !== undefined && { $lte: endOf(to) }) } } },
          { $group: { _id: "$_id.tag", posts: { $sum: "$posts" } } },
        ],
        { session },
      )
      .toArray(),
    tag_totals.find({ _id: { $gt: last, ...(to !== undefined && { $lte: to }) } }, { session }).toArray(),
  ]);
  const missing = new Map(sums.map(({ _id, posts }) => [_id, posts]));
  for (const { _id, posts } of totals) missing.set(_id, (missing.get(_id) ?? 0) - posts);
  return { missing: new Map([...missing].filter(([, posts]) => posts !== 0)), last: to ?? "" };
}

/** Above the ids of all hours of a tag. */
const endOf = (tag: string) => ({ tag, hour: new MaxKey() as unknown as Date });

/** Writes what changed in hours, adds it to the totals, and what was missing in them. */
export async function writeTags(
  { counted_tags, tag_totals }: TagCollections,
  { changes, missing }: { changes: readonly TagChange[]; missing: ReadonlyMap<string, number> },
  session: ClientSession,
): Promise<void> {
  const more = new Map(missing);
  for (const { tag, more: n } of changes) more.set(tag, (more.get(tag) ?? 0) + n);
  const totals = [...more].filter(([, n]) => n !== 0);
  if (changes.length > 0) await counted_tags.bulkWrite(changes.map(tagWrite), { session, ordered: false });
  if (totals.length === 0) return;
  await tag_totals.bulkWrite(
    totals.map(([tag, n]) => ({
      updateOne: { filter: { _id: tag }, update: { $inc: { posts: n } }, upsert: true },
    })),
    { session, ordered: false },
  );
  await tag_totals.deleteMany({ posts: { $lte: 0 } }, { session });
}

function tagWrite({ hour, tag, posts }: TagChange) {
  const filter = { _id: { tag, hour: new Date(hour) } };
  if (posts === 0) return { deleteOne: { filter } };
  return { updateOne: { filter, update: { $set: { posts } }, upsert: true } };
}
