import type { ClientSession } from "mongodb";
import type { Collections } from "../../schema/collections.ts";
import type { BoardCountsDocument } from "../../schema/counts.ts";
import { isDuplicate } from "../../server/connection.ts";
import type { MongodbContext } from "../../server/context.ts";
import { type Found, look } from "./look.ts";
import { withSnapshot } from "./snapshot.ts";
import { topTags } from "./top-tags.ts";
import { writeTags } from "./totals.ts";

/** While nobody tells of changes, figures are taken to be right for so long. */
const QUIET_MS = 5 * 60_000;

/**
 * See `KeptFigures.count`. All that a run reads is of one snapshot, on shards too, so a mark that it sees and deletes
 * is of a change that it counts. What it writes is one transaction, which fails when another run came between: so the
 * differences that it adds to totals are those to what it has read.
 */
export async function keepCounts(context: MongodbContext, now: number): Promise<boolean> {
  const { connection, collections } = context;
  const sizes = await connection.run(() => sizesOf(collections));
  const found = await connection.runLong(() =>
    withSnapshot(connection, (own, session) => look(own, { now, sizes }, session)),
  );
  // The next run finds a snapshot.
  if (found === null) return false;
  const isWritten = await connection
    .write(["board counts"], (session) => write(collections, found, session))
    .catch((error: unknown) => {
      if (found.old === null && isDuplicate(error)) return false;
      throw error;
    });
  return isWritten && found.isBehind;
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

/** Resolves to false, and writes nothing, when another run came between. */
async function write(
  collections: Collections,
  { old, next, hours, marks, tags, latestTags }: Found,
  session: ClientSession,
): Promise<boolean> {
  const { board_counts, counted_hours, count_marks } = collections;
  const before = await board_counts.findOne({ _id: "board" }, { session, projection: { version: 1 } });
  if (before?.version !== old?.version) return false;
  const counted = [...hours].map(([hour, document]) =>
    document === null
      ? { deleteOne: { filter: { _id: new Date(hour) } } }
      : { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } },
  );
  if (counted.length > 0) await counted_hours.bulkWrite(counted, { session });
  if (marks.length > 0) await count_marks.deleteMany({ _id: { $in: marks } }, { session });
  await writeTags(collections, tags, session);
  const top_tags = latestTags === null ? next.top_tags : await topTags(collections, latestTags, session);
  // Of two runs at once, the second finds this document changed.
  await board_counts.replaceOne({ _id: "board" }, { ...next, top_tags }, { session, upsert: true });
  return true;
}
