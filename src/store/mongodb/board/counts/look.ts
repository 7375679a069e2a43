import type { ClientSession } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { BoardCountsDocument, CountedHourDocument } from "../../schema/counts.ts";
import { dueHours, walkFrom } from "./due.ts";
import { countHours, emptyHour, noKinds } from "./hours.ts";
import { daysOf } from "./kept.ts";
import { hourOf } from "./marks.ts";
import { compareTags, type TagChange } from "./tags.ts";
import { compareTotals } from "./totals.ts";

/** A new post becomes visible at most so long after its creation time, whatever the clock of its process. */
const LATE_MS = 5 * 60_000;
const MARKS_MAX = 1_000;

/** What a run has found, and is to write. */
export interface Found {
  /** The figures that it replaces. */
  old: BoardCountsDocument | null;
  /** The new ones; top tags are still the old ones. */
  next: BoardCountsDocument;
  /** Hours that were counted, null for those without posts. */
  hours: Map<number, CountedHourDocument | null>;
  /** Ids of marks whose hours are counted. */
  marks: string[];
  tags: { changes: TagChange[]; missing: Map<string, number> };
  /** The tags of the latest hours; null while those of others are not right, so that there are no new top tags. */
  latestTags: Map<string, number> | null;
  /** Whether there is more to count now. */
  isBehind: boolean;
}

/** Counts the hours whose turn it is, and sums up all. All of it is of the session's snapshot. */
export async function look(
  collections: Collections,
  { now, sizes }: { now: number; sizes: BoardCountsDocument["sizes"] },
  session: ClientSession,
): Promise<Found> {
  const { posts, publishers, subscriptions, board_counts, counted_hours, count_marks } = collections;
  // The first read gives the snapshot its time.
  const old = await board_counts.findOne({ _id: "board" }, { session });
  const [stored, marks, knownPublishers, activeSubscriptions] = await Promise.all([
    counted_hours.find({ _id: { $gte: new Date(0) } }, { session }).toArray(),
    count_marks
      .find({ _id: { $gt: "" } }, { session })
      .limit(MARKS_MAX)
      .toArray(),
    publishers.countDocuments({ erasing: false }, { session }),
    subscriptions.countDocuments({ active: true }, { session }),
  ]);
  const known = new Map(stored.map((hour) => [hour._id.getTime(), hour]));
  const since = hourOf(Math.min(old?.ran_at.getTime() ?? now, now) - LATE_MS);
  const due = dueHours({ known, marks, since, now });
  const walk = await walkFrom(collections, old, { known, since }, session);
  const again = [...new Set([...due.hours, ...walk.hours])];
  // A walk that fills the figures leaves tags to later runs, which know how many posts they read.
  const tagged = new Set(old?.filled ? again : due.hours);
  const [found, tags, totals] = await Promise.all([
    countHours(posts, { hours: again, since, now }, session),
    compareTags(collections, { hours: [...tagged], since, now }, session),
    compareTotals(collections, old?.tags_walk ?? "", session),
  ]);
  const hours = new Map<number, CountedHourDocument | null>();
  const latest = [...known.keys()].filter((hour) => hour >= since);
  for (const hour of new Set([...again, ...latest, ...found.keys()])) {
    const document = found.get(hour) ?? (tags.left.has(hour) ? emptyHour(hour) : null);
    hours.set(hour, document && { ...document, tagged: tagged.has(hour) && !tags.left.has(hour) });
  }
  for (const [hour, document] of hours) document === null ? known.delete(hour) : known.set(hour, document);
  const filled = walk.hasEnded || (old?.filled ?? false);
  const areWrong = !filled || due.left || marks.length === MARKS_MAX;
  const areTagsWrong =
    areWrong || tags.left.size > 0 || [...known].some(([hour, { tagged }]) => !tagged && hour < since);
  const next: BoardCountsDocument = {
    _id: "board",
    version: (old?.version ?? 0) + 1,
    at: areWrong ? (old?.at ?? null) : new Date(now),
    ran_at: new Date(now),
    walk: new Date(walk.next),
    filled,
    ...sumOf(known.values()),
    publishers: knownPublishers,
    subscriptions: activeSubscriptions,
    sizes,
    top_tags: old?.top_tags ?? [],
    tags_at: areTagsWrong ? (old?.tags_at ?? null) : new Date(now),
    tags_walk: totals.last,
  };
  const settled = marks.filter((mark) => mark.hours.every((hour) => !due.waiting.has(hour.getTime())));
  return {
    old,
    next,
    hours,
    marks: settled.map(({ _id }) => _id),
    tags: { changes: tags.changes, missing: totals.missing },
    latestTags: areTagsWrong ? null : tags.latest,
    isBehind: areTagsWrong,
  };
}

function sumOf(hours: Iterable<CountedHourDocument>) {
  const all = [...hours];
  const kinds = noKinds();
  for (const { kinds: live } of all) {
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) kinds[kind] += live[kind];
  }
  const expiries = all.flatMap(({ next_expiry }) => next_expiry?.getTime() ?? []);
  const next_expiry = expiries.length === 0 ? null : new Date(Math.min(...expiries));
  return {
    kinds,
    next_expiry,
    syndicated: all.reduce((sum, { syndicated }) => sum + syndicated, 0),
    days: daysOf(all),
  };
}
