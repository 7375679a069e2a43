import { setTimeout as sleep } from "node:timers/promises";
import {
  BSON,
  type ChangeStream,
  type Document,
  MongoServerError,
  type ResumeToken,
  Timestamp,
} from "mongodb";
import { type FeedChange, FeedLost } from "../../../ports/index-feed.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import type { PostDocument, PublisherDocument } from "../schema/documents.ts";
import type { MongodbConnection } from "../server/connection.ts";

/** How long the database waits for a change before it answers with just a newer place. */
const IDLE_MS = 500;
/** The same behind mongos: a shard without changes reports its time only then, and changes of other shards wait for it. */
const SHARDED_IDLE_MS = 300;
/** Changes in one answer at most. */
const BATCH = 1000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;

/** Where a stream begins. The text of a place is one of these as extended JSON. */
type Start = { startAtOperationTime: Timestamp } | { resumeAfter: ResumeToken };

interface Event extends Document {
  operationType: string;
  ns: { coll?: "posts" | "publishers" };
  documentKey?: { _id: string };
}

export const placeAt = (time: Timestamp): string => placeOf({ startAtOperationTime: time });

/**
 * See `IndexFeed.follow`. Ends when `signal` aborts or the connection closes; while the database is away, it tries again
 * after ever longer pauses.
 */
export async function* followStream(
  { db, run, closing, sharded }: MongodbConnection,
  place: string,
  signal: AbortSignal,
): AsyncGenerator<FeedChange & { place: string }, void> {
  const stop = AbortSignal.any([signal, closing]);
  let start = startOf(place);
  let failures = 0;
  while (!stop.aborted) {
    const stream = db.watch<Document, Event>(PIPELINE, {
      ...start,
      maxAwaitTimeMS: sharded ? SHARDED_IDLE_MS : IDLE_MS,
      batchSize: BATCH,
    });
    const close = () => void stream.close().catch(() => {});
    stop.addEventListener("abort", close, { once: true });
    try {
      while (!stop.aborted) {
        const events = await run(() => nextEvents(stream));
        failures = 0;
        start = { resumeAfter: stream.resumeToken };
        yield { ...changeOf(events), place: placeOf(start) };
      }
    } catch (error) {
      if (stop.aborted) return;
      if (isLost(error)) throw new FeedLost({ cause: error });
      if (!(error instanceof StoreUnavailable)) throw error;
    } finally {
      stop.removeEventListener("abort", close);
      await stream.close().catch(() => {});
    }
    failures += 1;
    const pause = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(failures, 10));
    await sleep(pause, undefined, { signal: stop }).catch(() => {});
  }
}

/** Fields that no index needs; they change with every post and reply, so a change of them alone is passed over. */
const UNSEEN: readonly (keyof PostDocument | keyof PublisherDocument)[] = [
  "reply_count",
  "last_reply_at",
  "reports",
  "pub_verified",
  "pub_suspended",
  "post_count",
  "inserts",
  "replies_inserted",
  "spreading",
  "checked_at",
];
const CHANGED = {
  $concatArrays: [
    { $map: { input: { $objectToArray: "$updateDescription.updatedFields" }, in: "$$this.k" } },
    "$updateDescription.removedFields",
  ],
};
/** Ids are enough: present states are read when they are needed. */
const PIPELINE = [
  { $match: { $or: [{ "ns.coll": { $in: ["posts", "publishers"] } }, { operationType: "invalidate" }] } },
  {
    $match: {
      $expr: {
        $or: [{ $ne: ["$operationType", "update"] }, { $not: { $setIsSubset: [CHANGED, UNSEEN] } }],
      },
    },
  },
  { $project: { operationType: 1, ns: 1, documentKey: 1 } },
];

/** Waits for a change and adds what arrived with it; empty when nothing came for a while. */
async function nextEvents(stream: ChangeStream<Document, Event>): Promise<Event[]> {
  const first = await stream.tryNext();
  if (first === null) return [];
  const events = [first];
  while (stream.bufferedCount() > 0) {
    const next = await stream.tryNext();
    if (next === null) break;
    events.push(next);
  }
  return events;
}

/** @throws FeedLost when a collection was dropped or renamed: no event names its documents */
function changeOf(events: readonly Event[]): FeedChange {
  const posts = new Set<string>();
  const publishers = new Set<string>();
  for (const { operationType, ns, documentKey } of events) {
    if (!ONE_DOCUMENT.has(operationType) || documentKey === undefined) throw new FeedLost();
    (ns.coll === "posts" ? posts : publishers).add(documentKey._id);
  }
  return { posts: [...posts], publishers: [...publishers] };
}

const ONE_DOCUMENT: ReadonlySet<string> = new Set(["insert", "update", "replace", "delete"]);

/** See `IndexFeed.reached`. */
export const hasReached = (place: string, target: string): boolean =>
  placeTime(place).greaterThanOrEqual(placeTime(target));

/**
 * The database time up to which a stream at this place has reported everything.
 * @throws FeedLost when the place holds none
 */
export function placeTime(place: string): Timestamp {
  const start = startOf(place);
  try {
    if ("startAtOperationTime" in start) return new Timestamp(start.startAtOperationTime);
    // A token begins with the byte for "timestamp" and the time itself, in hexadecimal digits.
    const { _data } = start.resumeAfter as { _data: string };
    return new Timestamp(BigInt(`0x${_data.slice(2, 18)}`));
  } catch (error) {
    throw new FeedLost({ cause: error });
  }
}

const placeOf = (start: Start): string => BSON.EJSON.stringify(start, { relaxed: false });

function startOf(place: string): Start {
  try {
    const { startAtOperationTime, resumeAfter } = BSON.EJSON.parse(place, { relaxed: false }) as Document;
    if (startAtOperationTime !== undefined) return { startAtOperationTime };
    if (resumeAfter !== undefined) return { resumeAfter };
  } catch (error) {
    throw new FeedLost({ cause: error });
  }
  throw new FeedLost();
}

/** Errors of a stream that cannot start or go on at its place. */
const LOST: ReadonlySet<unknown> = new Set([
  9, // FailedToParse: the place, the only part of the query that varies
  14, // TypeMismatch
  15, // Overflow
  136, // CappedPositionLost
  260, // InvalidResumeToken
  280, // ChangeStreamFatalError
  286, // ChangeStreamHistoryLost
]);

function isLost(error: unknown): boolean {
  return error instanceof MongoServerError && LOST.has(error.code);
}
