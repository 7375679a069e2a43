import { type ClientSession, type Filter, ReadConcern, type Timestamp } from "mongodb";
import { indexEntryOf } from "../../../ports/index-entry.ts";
import type { IndexedState, IndexFeed, PublisherStatus } from "../../../ports/index-feed.ts";
import { limitIds } from "../../rules/rows.ts";
import { publisherDocumentStatus } from "../publishers/status.ts";
import { collectionsOf } from "../schema/collections.ts";
import type { PostDocument, PublisherDocument } from "../schema/documents.ts";
import { postOfDocument, vectorOfBinary } from "../schema/posts.ts";
import { publisherOfDocument } from "../schema/publishers.ts";
import type { MongodbConnection } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { findPosts } from "../server/reads.ts";
import { keepShardsTogether } from "../server/shard-times.ts";
import { followStream, hasReached, placeAt, placeTime } from "./stream.ts";

/**
 * The feed of an index outside this store.
 *
 * No read is older than what a stream reported before. A stream stays with the member where it began, even when another
 * becomes primary, and the new primary may learn some milliseconds later what a majority gave the old one: after a
 * step-down, once in some ten thousand changes, a read missed what a stream had reported. An index would drop such a post,
 * and no further change would bring it back.
 */
export function feedOf(context: MongodbContext, onWrite: IndexFeed["onWrite"]): IndexFeed {
  const own = apart(context);
  const { connection, collections } = own;
  const { posts, publishers } = collections;
  let newest: Timestamp | null = null;
  const advance = (place: string) => {
    const time = placeTime(place);
    if (newest === null || time.greaterThan(newest)) newest = time;
  };
  const read = <T>(ask: (session: ClientSession) => Promise<T>) =>
    connection.run(() => causally(connection, newest, ask));

  return {
    async here() {
      const place = await read((session) => here(own, session));
      advance(place);
      return place;
    },

    scanPosts: (after, limit) =>
      read(async (session) => {
        const filter: Filter<PostDocument> = { state: "active" };
        if (after !== null) filter._id = { $gt: after };
        const found = await posts
          .find(filter, { projection: INDEXED, batchSize: limit, session })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray();
        return { rows: found.map(stateOf), next: nextAfter(found, limit) };
      }),

    scanPublishers: (after, limit) =>
      read(async (session) => {
        const filter: Filter<PublisherDocument> = after === null ? {} : { _id: { $gt: after } };
        const found = await publishers.find(filter, { session }).sort({ _id: 1 }).limit(limit).toArray();
        return { rows: found.map(statusOf), next: nextAfter(found, limit) };
      }),

    async posts(ids) {
      limitIds(ids);
      return read(async (session) => {
        const found = await findPosts(own, ids, session, INDEXED);
        return [...found.values()].filter(({ state }) => state === "active").map(stateOf);
      });
    },

    async publishers(ids) {
      limitIds(ids);
      return read(async (session) => {
        const found = await publishers.find({ _id: { $in: ids } }, { session }).toArray();
        return found.map(statusOf);
      });
    },

    reached: hasReached,
    async *follow(place, signal) {
      const ended = new AbortController();
      void keepShardsTogether(connection, AbortSignal.any([signal, connection.closing, ended.signal]));
      try {
        for await (const change of followStream(connection, place, signal)) {
          advance(change.place);
          yield change;
        }
      } finally {
        ended.abort();
      }
    },
    onWrite,
  };
}

/**
 * The same context with its own read concern. The driver (7.8) writes the time of a causally consistent session into the
 * read concern that all reads of a client share, and every other read would wait for that time too.
 */
function apart(context: MongodbContext): MongodbContext {
  const { client, db: shared } = context.connection;
  const db = client.db(shared.databaseName, { readConcern: new ReadConcern("majority") });
  return { ...context, connection: { ...context.connection, db }, collections: collectionsOf(db) };
}

/** Neither an index nor a copy needs it. */
const INDEXED = { geo: 0 } as const;

function stateOf(document: PostDocument): IndexedState {
  const { vec_model, vec } = document;
  const vector =
    vec_model == null || vec === undefined ? null : { model: vec_model, vector: vectorOfBinary(vec) };
  const post = postOfDocument(document, 0);
  return { entry: indexEntryOf(post), post, vector };
}

function statusOf(publisher: PublisherDocument): PublisherStatus {
  const { verified, suspended } = publisherDocumentStatus(publisher);
  const { _id: id, erasing } = publisher;
  return {
    id,
    verified,
    suspended: suspended || erasing,
    row: erasing ? null : publisherOfDocument(publisher),
  };
}

const nextAfter = (page: readonly { _id: string }[], limit: number): string | null =>
  page.length < limit ? null : (page.at(-1)?._id ?? null);

/**
 * A time later than every commit so far, once a majority holds everything up to it: a scan from now on and a stream from
 * that time on miss nothing between them. It is the time of our own write: another's could have the very time that a
 * stream has reached, and not be reported yet.
 */
async function here({ connection, collections }: MongodbContext, session: ClientSession): Promise<string> {
  // A read in a causally consistent session learns the time of every shard it asks, and waits for that shard's majority.
  const ask = async () => {
    await collections.posts.findOne({ _id: "" }, { session });
    await collections.publishers.findOne({ _id: "" }, { session });
  };
  await ask();
  const marks = connection.db.collection<{ _id: string; n: number }>("meta");
  await marks.updateOne({ _id: "mark" }, { $inc: { n: 1 } }, { upsert: true, session });
  const at = session.operationTime;
  if (at === undefined) throw new Error("The database does not tell its time.");
  await ask();
  return placeAt(at);
}

/** Runs `ask` in a causally consistent session: no read in it is older than `time`. */
async function causally<T>(
  { client }: MongodbConnection,
  time: Timestamp | null,
  ask: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = client.startSession({ causalConsistency: true });
  try {
    if (time !== null) session.advanceOperationTime(time);
    return await ask(session);
  } finally {
    await session.endSession();
  }
}
