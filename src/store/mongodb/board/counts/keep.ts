import { type ClientSession, MongoServerError, ReadConcern } from "mongodb";
import { type Collections, collectionsOf } from "../../schema/collections.ts";
import type { BoardCountsDocument, CountedHourDocument } from "../../schema/counts.ts";
import { isDuplicate } from "../../server/connection.ts";
import type { MongodbContext } from "../../server/context.ts";
import { NO_SNAPSHOT } from "../../server/unavailable.ts";
import { countHours, noKinds } from "./hours.ts";
import { daysOf } from "./kept.ts";
import { hourAfter, hourOf } from "./marks.ts";
import { countTopTags } from "./top-tags.ts";

/** A new post becomes visible at most so long after its creation time, whatever the clock of its process. */
const LATE_MS = 5 * 60_000;
/** While nobody tells of changes, figures are taken to be right for so long. */
const QUIET_MS = 5 * 60_000;
/** What one run counts, so that it ends soon: hours that changed or expired, and hours of the walk. */
const HOURS_MAX = 48;
const WALK = { filling: 24, repairing: 2 } as const;
const MARKS_MAX = 1_000;
/** Tags are counted again after so many times as long as counting them takes, and not sooner than this. */
const TAG_PARTS = 100;
const TAGS_MS = 4_000;

/**
 * See `KeptFigures.count`. All that a run reads is of one snapshot, on shards too, so a mark that it sees and deletes
 * is of a change that it counts. What it writes is one transaction, which fails when another run came between.
 */
export async function keepCounts(context: MongodbContext, now: number): Promise<boolean> {
  const { connection, collections } = context;
  const sizes = await connection.run(() => sizesOf(collections));
  const found = await connection.runLong(() =>
    withSnapshot(context, (own, session) => look(own, { now, sizes }, session)),
  );
  if (found === null) return false;
  const { counted, marks, old, next, isBehind } = found;
  await connection.runLong(() => addTags(collections, next, now));
  const hours = [...counted].map(([hour, document]) =>
    document === null
      ? { deleteOne: { filter: { _id: new Date(hour) } } }
      : { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } },
  );
  const done = await connection
    .write(["board counts"], async (session) => {
      const { board_counts, counted_hours, count_marks } = collections;
      if (old === null) await board_counts.insertOne(next, { session });
      else {
        const replaced = await board_counts.replaceOne({ _id: "board", version: old.version }, next, {
          session,
        });
        if (replaced.matchedCount === 0) return false;
      }
      if (hours.length > 0) await counted_hours.bulkWrite(hours, { session });
      if (marks.length > 0) await count_marks.deleteMany({ _id: { $in: marks } }, { session });
      return true;
    })
    .catch((error: unknown) => {
      if (old === null && isDuplicate(error)) return false;
      throw error;
    });
  return done && isBehind;
}

/** See `KeptFigures.confirm`. */
export async function confirmCounts(collections: Collections, now: number): Promise<boolean> {
  const right = {
    _id: "board" as const,
    at: { $ne: null },
    ran_at: { $gt: new Date(now - QUIET_MS) },
    sizes: await sizesOf(collections),
    $or: [{ next_expiry: null }, { next_expiry: { $gt: new Date(now) } }],
  };
  const { matchedCount } = await collections.board_counts.updateOne(right, { $set: { at: new Date(now) } });
  return matchedCount === 1;
}

/** By the collections' own numbers, which count nothing. */
async function sizesOf({ publishers, subscriptions }: Collections): Promise<BoardCountsDocument["sizes"]> {
  const sizes = [publishers, subscriptions].map((collection) => collection.estimatedDocumentCount());
  const [ofPublishers = 0, ofSubscriptions = 0] = await Promise.all(sizes);
  return { publishers: ofPublishers, subscriptions: ofSubscriptions };
}

async function look(
  { posts, publishers, subscriptions, board_counts, counted_hours, count_marks }: Collections,
  { now, sizes }: { now: number; sizes: BoardCountsDocument["sizes"] },
  session: ClientSession,
) {
  // The first read gives the snapshot its time.
  const old = await board_counts.findOne({ _id: "board" }, { session });
  const [hours, marks, knownPublishers, activeSubscriptions] = await Promise.all([
    counted_hours.find({ _id: { $gte: new Date(0) } }, { session }).toArray(),
    count_marks
      .find({ _id: { $gt: "" } }, { session })
      .limit(MARKS_MAX)
      .toArray(),
    publishers.countDocuments({ erasing: false }, { session }),
    subscriptions.countDocuments({ active: true }, { session }),
  ]);
  const known = new Map(hours.map((hour) => [hour._id.getTime(), hour]));
  const since = hourOf(Math.min(old?.ran_at.getTime() ?? now, now) - LATE_MS);
  const due = dueHours({ known, marks, since, now });
  const walk = await walkFrom(posts, old, { known, since }, session);
  const again = [...new Set([...due.hours, ...walk.hours])];
  const found = await countHours(posts, { hours: again, since, now }, session);
  const counted = new Map<number, CountedHourDocument | null>(found);
  const latest = [...known.keys()].filter((hour) => hour >= since);
  for (const hour of [...again, ...latest]) if (!counted.has(hour)) counted.set(hour, null);
  for (const [hour, document] of counted) document === null ? known.delete(hour) : known.set(hour, document);
  const filled = walk.hasEnded || (old?.filled ?? false);
  const isBehind = !filled || due.left || marks.length === MARKS_MAX;
  const next: BoardCountsDocument = {
    _id: "board",
    version: (old?.version ?? 0) + 1,
    at: isBehind ? (old?.at ?? null) : new Date(now),
    ran_at: new Date(now),
    walk: new Date(walk.next),
    filled,
    ...sumOf(known.values()),
    publishers: knownPublishers,
    subscriptions: activeSubscriptions,
    sizes,
    top_tags: old?.top_tags ?? [],
    tags_at: old?.tags_at ?? null,
    tags_ms: old?.tags_ms ?? 0,
  };
  const settled = marks.filter((mark) => mark.hours.every((hour) => !due.waiting.has(hour.getTime())));
  return { counted, marks: settled.map(({ _id }) => _id), old, next, isBehind };
}

/** The hours before `since` whose counts are no longer right, as many as one run may count. */
function dueHours(parts: {
  known: ReadonlyMap<number, CountedHourDocument>;
  marks: readonly { hours: readonly Date[] }[];
  since: number;
  now: number;
}): { hours: number[]; waiting: Set<number>; left: boolean } {
  const expired = [...parts.known].flatMap(([hour, { next_expiry }]) =>
    next_expiry !== null && next_expiry.getTime() <= parts.now ? hour : [],
  );
  const marked = parts.marks.flatMap(({ hours }) => hours.map((hour) => hour.getTime()));
  const all = [...new Set([...marked, ...expired])].filter((hour) => hour < parts.since);
  const waiting = new Set(all.slice(HOURS_MAX));
  return { hours: all.slice(0, HOURS_MAX), waiting, left: waiting.size > 0 };
}

/** The next hours of the walk: from the first at or after its place that has a post, or was counted. */
async function walkFrom(
  posts: Collections["posts"],
  old: BoardCountsDocument | null,
  { known, since }: { known: ReadonlyMap<number, unknown>; since: number },
  session: ClientSession,
): Promise<{ hours: number[]; next: number; hasEnded: boolean }> {
  const from = old?.walk ?? new Date(0);
  const first = await posts
    .find({ created_at: { $gte: from } }, { session, projection: { created_at: 1 } })
    .sort({ created_at: 1 })
    .limit(1)
    .next();
  const hours: number[] = [];
  const counted = [...known.keys()].filter((hour) => hour >= from.getTime());
  let hour = Math.min(hourOf(first?.created_at.getTime() ?? since), ...counted);
  for (let n = old?.filled ? WALK.repairing : WALK.filling; n > 0 && hour < since; n -= 1) {
    hours.push(hour);
    hour = hourAfter(hour);
  }
  return hour < since ? { hours, next: hour, hasEnded: false } : { hours, next: 0, hasEnded: true };
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

/** Counts the tags when it is time to, once the figures are right. */
async function addTags({ posts }: Collections, next: BoardCountsDocument, now: number): Promise<void> {
  const pause = Math.max(TAGS_MS, TAG_PARTS * next.tags_ms);
  if (next.at?.getTime() !== now || (next.tags_at !== null && now - next.tags_at.getTime() < pause)) return;
  const began = performance.now();
  try {
    next.top_tags = await countTopTags(posts, now);
  } catch {
    // On a board so large that counting them ends in no answer, tags stay as they were, and all else goes on.
  }
  next.tags_at = new Date(now);
  next.tags_ms = Math.round(performance.now() - began);
}

/** Resolves to null when there is no snapshot just now: the next run finds one. */
async function withSnapshot<T>(
  { connection: { client, db } }: MongodbContext,
  read: (collections: Collections, session: ClientSession) => Promise<T>,
): Promise<T | null> {
  // The driver (7.8) writes the snapshot's time into the read concern of the database it is given, so this has its own.
  const own = collectionsOf(client.db(db.databaseName, { readConcern: new ReadConcern("snapshot") }));
  const session = client.startSession({ snapshot: true });
  try {
    return await read(own, session);
  } catch (error) {
    if (error instanceof MongoServerError && NO_SNAPSHOT.has(error.code)) return null;
    throw error;
  } finally {
    await session.endSession();
  }
}
