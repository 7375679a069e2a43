import { type ClientSession, type Filter, ReadConcern, type Timestamp } from "mongodb";
import { indexEntryOf } from "../../../../ports/index-entry.ts";
import type { IndexEntry } from "../../../../ports/search-index.ts";
import { collectionsOf, type MongodbContext } from "../../database/context.ts";
import { postOfDocument, statusFields, vectorOfBinary } from "../../database/posts.ts";
import type { PostDocument, PublisherDocument } from "../../database/schema/documents.ts";
import { type FeedChange, followStream } from "./stream.ts";

/**
 * An index takes in these rows: active posts with their vectors, under whatever model, and what filters need to know of
 * publishers.
 */
export interface IndexRows {
  posts: readonly { entry: IndexEntry; vector: { model: string; vector: Int8Array } | null }[];
  /** A publisher is `suspended` also while it is being erased. */
  publishers: readonly { id: string; verified: boolean; suspended: boolean }[];
}

/**
 * An index outside this store follows this. Reads give the current state as a majority of the database holds it, never
 * older than what `follow` yielded before.
 */
export interface IndexFeed {
  /**
   * Gives changes as they come, until `signal` aborts. The first one is empty: what is committed from then on will be
   * reported. It survives a change of primary and a restart of the database.
   * @throws Error when the database no longer has the next changes: scan again
   */
  follow(signal: AbortSignal): AsyncGenerator<FeedChange, void>;
  /** Reads everything, in pages. */
  scan(): AsyncIterable<IndexRows>;
  /** Reads those that exist; of posts, the active ones. */
  read(ids: FeedChange): Promise<IndexRows>;
  /** Calls back after each write of this handle, before the write resolves to its caller. */
  onWrite(wrote: (change: FeedChange) => void): void;
}

/** A page of a scan has this many rows. */
const PAGE = 2_000;

export function feedOf(
  context: MongodbContext,
  parts: { onWrite: IndexFeed["onWrite"]; postsChanged: () => void },
): IndexFeed {
  const { connection, collections } = apart(context);
  const { posts, publishers } = collections;
  let newest: Timestamp | null = null;
  const read = <T>(ask: (session: ClientSession) => Promise<T>) =>
    connection.run(() =>
      connection.client.withSession({ causalConsistency: true }, (session) => {
        if (newest !== null) session.advanceOperationTime(newest);
        return ask(session);
      }),
    );
  const readPosts = (filter: Filter<PostDocument>, page = {}) =>
    read(async (session) => {
      const active: Filter<PostDocument> = { ...filter, state: "active" };
      const options = { projection: INDEXED, session, ...page };
      return { posts: (await posts.find(active, options).toArray()).map(stateOf), publishers: [] };
    });
  const readPublishers = (filter: Filter<PublisherDocument>, page = {}) =>
    read(async (session) => {
      const found = await publishers.find(filter, { session, ...page }).toArray();
      return { posts: [], publishers: found.map(statusOf) };
    });

  return {
    async *scan() {
      yield* pagesOf(readPublishers);
      yield* pagesOf(readPosts);
    },

    async read(ids) {
      const [changed, known] = await Promise.all([
        ids.posts.length === 0 ? NOTHING : readPosts({ _id: { $in: [...ids.posts] } }),
        ids.publishers.length === 0 ? NOTHING : readPublishers({ _id: { $in: [...ids.publishers] } }),
      ]);
      return { posts: changed.posts, publishers: known.publishers };
    },

    async *follow(signal) {
      for await (const { at, ...change } of followStream(connection, signal)) {
        if (at !== null && (newest === null || at.greaterThan(newest))) newest = at;
        if (change.posts.length > 0) parts.postsChanged();
        yield change;
      }
    },
    onWrite: parts.onWrite,
  };
}

const NOTHING: IndexRows = { posts: [], publishers: [] };

async function* pagesOf(
  read: (filter: { _id?: { $gt: string } }, page: object) => Promise<IndexRows>,
): AsyncGenerator<IndexRows> {
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const page = { sort: { _id: 1 }, limit: PAGE, batchSize: PAGE };
    const rows = await read(after === undefined ? {} : { _id: { $gt: after } }, page);
    yield rows;
    isLast = rows.posts.length + rows.publishers.length < PAGE;
    after = rows.posts.at(-1)?.entry.id ?? rows.publishers.at(-1)?.id;
  }
}

/** Gives the same context with its own read concern. */
function apart(context: MongodbContext): MongodbContext {
  const { client, db: shared } = context.connection;
  const db = client.db(shared.databaseName, { readConcern: new ReadConcern("majority") });
  return { ...context, connection: { ...context.connection, db }, collections: collectionsOf(db) };
}

/** An index needs no geometry. */
const INDEXED = { geo: 0 } as const;

function stateOf(document: PostDocument): IndexRows["posts"][number] {
  const { vec_model, vec } = document;
  const vector =
    vec_model == null || vec === undefined ? null : { model: vec_model, vector: vectorOfBinary(vec) };
  return { entry: indexEntryOf(postOfDocument(document)), vector };
}

function statusOf(publisher: PublisherDocument): IndexRows["publishers"][number] {
  const { pub_verified: verified, pub_suspended: suspended } = statusFields(publisher);
  return { id: publisher._id, verified, suspended: suspended || publisher.erasing };
}
