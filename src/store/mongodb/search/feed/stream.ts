import { setTimeout as sleep } from "node:timers/promises";
import type {
  ChangeStream,
  ChangeStreamOptions,
  ClientSession,
  Db,
  Document,
  ResumeToken,
  Timestamp,
} from "mongodb";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { MongodbConnection } from "../../database/connection.ts";
import type { PostDocument, PublisherDocument } from "../../database/schema/documents.ts";

/**
 * Names the posts and publishers that changed. Their state is read when it is needed, so that a late notice never brings
 * back an old one.
 */
export interface FeedChange {
  posts: readonly string[];
  publishers: readonly string[];
}

/** The database waits this long for a change before it answers that there is none. */
const IDLE_MS = 5_000;
/** Behind mongos, a shard without changes reports its time only then, and changes of other shards wait for it. */
const SHARDED_IDLE_MS = 300;
/** One answer has at most this many changes. */
const BATCH = 1000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;

interface Event extends Document {
  operationType: string;
  ns: { coll?: "posts" | "publishers" };
  documentKey?: { _id: string };
  clusterTime?: Timestamp;
}

/**
 * See `IndexFeed.follow`; `at` is the time of the last change, null while there was none. Ends when `signal` aborts or the
 * connection closes; while the database is away, it tries again after ever longer pauses.
 */
export async function* followStream(
  connection: MongodbConnection,
  signal: AbortSignal,
): AsyncGenerator<FeedChange & { at: Timestamp | null }, void> {
  const { db, run, sharded } = connection;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, connection.closing, ended.signal]);
  let resumeAfter = await run(() => tokenNow(db));
  void keepShardsTogether(connection, stop);
  try {
    yield { posts: [], publishers: [], at: null };
    for (let failures = 0; !stop.aborted; ) {
      const stream = watch(db, { resumeAfter, maxAwaitTimeMS: sharded ? SHARDED_IDLE_MS : IDLE_MS });
      const close = () => void stream.close().catch(() => {});
      stop.addEventListener("abort", close, { once: true });
      try {
        while (!stop.aborted) {
          const events = await run(() => nextEvents(stream));
          failures = 0;
          resumeAfter = stream.resumeToken;
          if (events.length > 0) yield { ...changeOf(events), at: events.at(-1)?.clusterTime ?? null };
        }
      } catch (error) {
        if (stop.aborted) return;
        if (!(error instanceof StoreUnavailable)) throw error;
      } finally {
        stop.removeEventListener("abort", close);
        await stream.close().catch(() => {});
      }
      failures += 1;
      const pause = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(failures, 10));
      await sleep(pause, undefined, { signal: stop }).catch(() => {});
    }
  } finally {
    ended.abort();
  }
}

/** No index needs these fields; they change with every post and reply, so a change of them alone is passed over. */
const UNSEEN: readonly (keyof PostDocument | keyof PublisherDocument)[] = [
  "reply_count",
  "last_reply_at",
  "reports",
  "retrievals",
  "pub_verified",
  "pub_suspended",
  "post_count",
  "inbox_no",
  "match",
  "embed",
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

const watch = (db: Db, options: ChangeStreamOptions) =>
  db.watch<Document, Event>(PIPELINE, { ...options, batchSize: BATCH });

/** Takes the place from which a stream that resumes behind it begins now. */
async function tokenNow(db: Db): Promise<ResumeToken> {
  const stream = watch(db, { maxAwaitTimeMS: 1 });
  try {
    await stream.tryNext();
    return stream.resumeToken;
  } finally {
    await stream.close();
  }
}

/** Waits for a change and adds what arrived with it; empty when nothing came for a while. */
async function nextEvents(stream: ChangeStream<Document, Event>): Promise<Event[]> {
  const events: Event[] = [];
  do {
    const next = await stream.tryNext();
    if (next === null) break;
    events.push(next);
  } while (stream.bufferedCount() > 0);
  return events;
}

/** @throws Error when a collection was dropped or renamed: no event names its documents */
function changeOf(events: readonly Event[]): FeedChange {
  const posts = new Set<string>();
  const publishers = new Set<string>();
  for (const { operationType, ns, documentKey } of events) {
    if (documentKey === undefined)
      throw new Error(`The database reports a change of its own: ${operationType}.`);
    (ns.coll === "posts" ? posts : publishers).add(documentKey._id);
  }
  return { posts: [...posts], publishers: [...publishers] };
}

const SHARDS_EVERY_MS = 300;

/**
 * Keeps the shards' times close together until `signal` aborts. mongos reports a change once every shard has passed its
 * time. A shard without writes advances only every 10 s, but at once when a read asks for a later time. Two reads each
 * round; does nothing on a replica set.
 */
async function keepShardsTogether(
  { client, db, sharded, run }: MongodbConnection,
  signal: AbortSignal,
): Promise<void> {
  while (sharded && !signal.aborted) {
    const ask = (session: ClientSession) =>
      run(async () => {
        await db.command({ ping: 1 }, { session });
        await db.collection<{ _id: string }>("posts").findOne({ _id: "" }, { session });
      });
    // The stream itself meets and reports errors of the database.
    await client.withSession({ causalConsistency: true }, ask).catch(() => {});
    await sleep(SHARDS_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
