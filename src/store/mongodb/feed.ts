import type { ClientSession, Filter } from "mongodb";
import type { IndexedState, IndexFeed, PublisherStanding } from "../../ports/index-feed.ts";
import type { PostDocument, PublisherDocument } from "./documents.ts";
import { follow, placeAt, reached } from "./feed-stream.ts";
import type { Parts } from "./parts.ts";
import { entryOf, vectorOf } from "./post-documents.ts";
import { findPosts } from "./reads.ts";
import { keepShardsTogether } from "./shard-times.ts";
import { standingOf } from "./standing.ts";

const MANY_MAX = 1000;

/** What an index apart from this store reads and follows. */
export function feedOf(parts: Parts, onWrite: IndexFeed["onWrite"]): IndexFeed {
  const { connection, collections } = parts;
  const { posts, publishers } = collections;
  const { run } = connection;

  return {
    here: () => run(() => withSession(parts, (session) => here(parts, session))),

    scanPosts: (after, limit) =>
      run(async () => {
        const filter: Filter<PostDocument> = { state: "active" };
        if (after !== null) filter._id = { $gt: after };
        const found = await posts
          .find(filter, { projection: INDEXED, batchSize: limit })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray();
        return { rows: found.map(stateOf), next: nextAfter(found, limit) };
      }),

    scanPublishers: (after, limit) =>
      run(async () => {
        const filter: Filter<PublisherDocument> = after === null ? {} : { _id: { $gt: after } };
        const found = await publishers.find(filter).sort({ _id: 1 }).limit(limit).toArray();
        return { rows: found.map(publisherStanding), next: nextAfter(found, limit) };
      }),

    posts(ids) {
      if (ids.length > MANY_MAX) return Promise.reject(new RangeError(`At most ${MANY_MAX} ids.`));
      return run(async () => {
        const found = await findPosts(parts, ids, undefined, { ...INDEXED, state: 1 });
        return [...found.values()].filter(({ state }) => state === "active").map(stateOf);
      });
    },

    publishers(ids) {
      if (ids.length > MANY_MAX) return Promise.reject(new RangeError(`At most ${MANY_MAX} ids.`));
      return run(async () => {
        const found = await publishers.find({ _id: { $in: ids } }).toArray();
        return found.map(publisherStanding);
      });
    },

    reached,
    async *follow(place, signal) {
      const ended = new AbortController();
      void keepShardsTogether(connection, AbortSignal.any([signal, connection.closing, ended.signal]));
      try {
        yield* follow(connection, place, signal);
      } finally {
        ended.abort();
      }
    },
    onWrite,
  };
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

function publisherStanding(publisher: PublisherDocument): PublisherStanding {
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

async function withSession<T>(
  { connection }: Parts,
  job: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = connection.client.startSession({ causalConsistency: true });
  try {
    return await job(session);
  } finally {
    await session.endSession();
  }
}
