import { setTimeout as sleep } from "node:timers/promises";
import {
  BSON,
  type ChangeStream,
  type Db,
  type Document,
  MongoServerError,
  type ResumeToken,
  type Timestamp,
} from "mongodb";
import { type FeedChange, FeedLost } from "../../../../ports/index-feed.ts";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { MongodbConnection } from "../../database/connection.ts";
import type { PostDocument, PublisherDocument } from "../../database/schema/documents.ts";

/** How long the database waits for a change before it answers that there is none. */
const IDLE_MS = 5_000;
/** The same behind mongos: a shard without changes reports its time only then, and changes of other shards wait for it. */
const SHARDED_IDLE_MS = 300;
/** Behind mongos, a change may be reported later than its acknowledgement: so many answers without one are none to come. */
const SHARDED_EMPTY = 4;
/** Changes in one answer at most. */
const BATCH = 1000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;

interface Event extends Document {
  operationType: string;
  ns: { coll?: "posts" | "publishers" };
  documentKey?: { _id: string };
  clusterTime?: Timestamp;
}

/** The place of a stream that begins now: its resume token as extended JSON. */
export async function placeNow(db: Db): Promise<string> {
  const stream = db.watch<Document, Event>(PIPELINE, { maxAwaitTimeMS: 1 });
  try {
    await stream.tryNext();
    return placeOf(stream.resumeToken);
  } finally {
    await stream.close();
  }
}

/**
 * See `IndexFeed.follow`; `at` is the time of the last change. Ends when `signal` aborts or the connection closes; while the database is away, it tries again
 * after ever longer pauses.
 */
export async function* followStream(
  { db, run, closing, sharded }: MongodbConnection,
  place: string,
  signal: AbortSignal,
): AsyncGenerator<FeedChange & { place: string; at: Timestamp | null }, void> {
  const stop = AbortSignal.any([signal, closing]);
  let resumeAfter = tokenOf(place);
  let failures = 0;
  // The first answers come soon, so that a start learns that nothing is missing.
  let isCaughtUp = false;
  let empty = 0;
  const [firstMs, idleMs] = sharded ? [SHARDED_IDLE_MS, SHARDED_IDLE_MS] : [1, IDLE_MS];
  while (!stop.aborted) {
    const stream = db.watch<Document, Event>(PIPELINE, {
      resumeAfter,
      maxAwaitTimeMS: isCaughtUp ? idleMs : firstMs,
      batchSize: BATCH,
    });
    const close = () => void stream.close().catch(() => {});
    stop.addEventListener("abort", close, { once: true });
    try {
      for (let isOver = false; !isOver && !stop.aborted; ) {
        const events = await run(() => nextEvents(stream));
        failures = 0;
        resumeAfter = stream.resumeToken;
        empty = events.length === 0 ? empty + 1 : 0;
        if (!isCaughtUp && empty > 0 && sharded && empty < SHARDED_EMPTY) continue;
        isOver = !isCaughtUp && empty > 0;
        yield { ...changeOf(events), place: placeOf(resumeAfter), at: events.at(-1)?.clusterTime ?? null };
      }
      isCaughtUp = true;
      continue;
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
  "retrievals",
  "pub_verified",
  "pub_suspended",
  "post_count",
  "replies_inserted",
  "inbox_no",
  "match",
  "embed",
  "spreading",
  "checked_at",
];
const CHANGED = {
  $concatArrays: [
    {
      $map: {
        input: { $objectToArray: "$updateDescription.updatedFields" },
        in: { $arrayElemAt: [{ $split: ["$$this.k", "."] }, 0] },
      },
    },
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
  { $project: { operationType: 1, ns: 1, documentKey: 1, clusterTime: 1 } },
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

const placeOf = (token: ResumeToken): string => BSON.EJSON.stringify(token as Document, { relaxed: false });

function tokenOf(place: string): ResumeToken {
  try {
    const token = BSON.EJSON.parse(place, { relaxed: false }) as ResumeToken;
    if (typeof (token as { _data?: unknown } | null)?._data === "string") return token;
  } catch (cause) {
    throw new FeedLost({ cause });
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
