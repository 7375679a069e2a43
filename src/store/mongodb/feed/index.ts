import { type ClientSession, type Filter, ReadConcern, type Timestamp } from "mongodb";
import type { IndexedState, IndexFeed, PublisherStatus } from "../../../ports/index-feed.ts";
import { limitIds } from "../../rules/ids.ts";
import { standingOf } from "../publishers/status.ts";
import { collectionsOf, type PostDocument, type PublisherDocument } from "../schema/documents.ts";
import { entryOf, vectorOf } from "../schema/posts.ts";
import type { Connection } from "../server/connection.ts";
import type { Parts } from "../server/context.ts";
import { findPosts } from "../server/reads.ts";
import { keepShardsTogether } from "../server/shard-times.ts";
import { follow, placeAt, reached, timeOf } from "./stream.ts";

/**
 * What an index apart from this store reads and follows.
 *
 * No read is older than what a stream told of before. A stream stays with the member where it began, also when another
 * has become primary, and what the one has as a majority's, the other may have some milliseconds later: after a step-down,
 * the primary did not find what a stream had told of once in some ten thousand changes. An index would take such a post
 * for gone, and nothing would tell of it again.
 */
export function feedOf(parts: Parts, onWrite: IndexFeed["onWrite"]): IndexFeed {
  const own = apart(parts);
  const { connection, collections } = own;
  const { posts, publishers } = collections;
  let told: Timestamp | null = null;
  const learn = (place: string) => {
    const time = timeOf(place);
    if (told === null || time.greaterThan(told)) told = time;
  };
  const read = <T>(ask: (session: ClientSession) => Promise<T>) =>
    connection.run(() => causally(connection, told, ask));

  return {
    async here() {
      const place = await read((session) => here(own, session));
      learn(place);
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
        return { rows: found.map(publisherStatus), next: nextAfter(found, limit) };
      }),

    async posts(ids) {
      limitIds(ids);
      return read(async (session) => {
        const found = await findPosts(own, ids, session, { ...INDEXED, state: 1 });
        return [...found.values()].filter(({ state }) => state === "active").map(stateOf);
      });
    },

    async publishers(ids) {
      limitIds(ids);
      return read(async (session) => {
        const found = await publishers.find({ _id: { $in: ids } }, { session }).toArray();
        return found.map(publisherStatus);
      });
    },

    reached,
    async *follow(place, signal) {
      const ended = new AbortController();
      void keepShardsTogether(connection, AbortSignal.any([signal, connection.closing, ended.signal]));
      try {
        for await (const change of follow(connection, place, signal)) {
          learn(change.place);
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
 * The same parts with a read concern of their own: into the object that all reads of a client share, the driver (7.8) writes
 * the time that a causally consistent session is at, and every other read would wait for it too.
 */
function apart(parts: Parts): Parts {
  const { client, db: shared } = parts.connection;
  const db = client.db(shared.databaseName, { readConcern: new ReadConcern("majority") });
  return { ...parts, connection: { ...parts.connection, db }, collections: collectionsOf(db) };
}

/** The fields that an index takes in. */
const INDEXED = {
  kind: 1,
  title: 1,
  body: 1,
  tags: 1,
  place: 1,
  win_start: 1,
  win_end: 1,
  expires_at: 1,
  created_at: 1,
  publisher_id: 1,
  parent_id: 1,
  syndicated: 1,
  vec_model: 1,
  vec: 1,
} as const;

function stateOf(post: PostDocument): IndexedState {
  const { vec_model, vec } = post;
  const vector = vec_model === null || vec === undefined ? null : { model: vec_model, vector: vectorOf(vec) };
  return { entry: entryOf(post), vector };
}

function publisherStatus(publisher: PublisherDocument): PublisherStatus {
  const { verified, suspended } = standingOf(publisher);
  return { id: publisher._id, verified, suspended: suspended || publisher.erasing };
}

const nextAfter = (page: readonly { _id: string }[], limit: number): string | null =>
  page.length < limit ? null : (page.at(-1)?._id ?? null);

/**
 * A time later than all that is committed, once a majority holds everything up to it: what a scan that begins now would
 * miss, a stream from that time on brings. It is that of a write of our own, since another's write may have the very time
 * that a stream is at without having been told yet.
 */
async function here({ connection, collections }: Parts, session: ClientSession): Promise<string> {
  // Reads of a causally consistent session learn the time of every shard that is asked, and wait for its majority.
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

/** Runs `ask` in a causally consistent session, whose reads are not older than `time`. */
async function causally<T>(
  { client }: Connection,
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
