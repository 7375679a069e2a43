import { type ClientSession, type Filter, ReadConcern, type Timestamp } from "mongodb";
import { indexEntryOf } from "../../../../ports/index-entry.ts";
import type { IndexedState, IndexFeed, PublisherStatus } from "../../../../ports/index-feed.ts";
import { limitIds } from "../../../rules/rows.ts";
import type { MongodbContext } from "../../database/context.ts";
import { postOfDocument, publisherDocumentStatus, vectorOfBinary } from "../../database/posts.ts";
import { collectionsOf } from "../../database/schema/collections.ts";
import type { PostDocument, PublisherDocument } from "../../database/schema/documents.ts";
import { keepShardsTogether } from "./shard-times.ts";
import { followStream, placeNow } from "./stream.ts";

/**
 * The feed of an index outside this store.
 *
 * No read is older than what a stream reported before. A stream stays with the member where it began, even when another
 * becomes primary, and the new primary may learn some milliseconds later what a majority gave the old one. An index would
 * drop a post that a read misses then, and no further change would bring it back.
 *
 * @param parts.postsChanged  called when `follow` has met changes of posts
 */
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

  const readPosts = (filter: Filter<PostDocument>, limit?: number) =>
    read(async (session) => {
      const active: Filter<PostDocument> = { ...filter, state: "active" };
      const found = posts.find(active, { projection: INDEXED, session, ...inPages(limit) });
      return (await found.toArray()).map(stateOf);
    });
  const readPublishers = (filter: Filter<PublisherDocument>, limit?: number) =>
    read(async (session) => {
      const found = publishers.find(filter, { session, ...inPages(limit) });
      return (await found.toArray()).map(statusOf);
    });

  return {
    here: () => connection.run(() => placeNow(connection.db)),

    async scanPosts(after, limit) {
      const rows = await readPosts(idsAfter(after), limit);
      return { rows, next: rows.length < limit ? null : (rows.at(-1)?.entry.id ?? null) };
    },

    async scanPublishers(after, limit) {
      const rows = await readPublishers(idsAfter(after), limit);
      return { rows, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
    },

    async posts(ids) {
      limitIds(ids);
      return readPosts({ _id: { $in: [...ids] } });
    },

    async publishers(ids) {
      limitIds(ids);
      return readPublishers({ _id: { $in: [...ids] } });
    },

    async *follow(place, signal) {
      const ended = new AbortController();
      void keepShardsTogether(connection, AbortSignal.any([signal, connection.closing, ended.signal]));
      try {
        for await (const { at, ...change } of followStream(connection, place, signal)) {
          if (at !== null && (newest === null || at.greaterThan(newest))) newest = at;
          if (change.posts.length > 0) parts.postsChanged();
          yield change;
        }
      } finally {
        ended.abort();
      }
    },
    onWrite: parts.onWrite,
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

/** An index needs no geometry. */
const INDEXED = { geo: 0 } as const;

function stateOf(document: PostDocument): IndexedState {
  const { vec_model, vec } = document;
  const vector =
    vec_model == null || vec === undefined ? null : { model: vec_model, vector: vectorOfBinary(vec) };
  const post = postOfDocument(document);
  return { entry: indexEntryOf(post), updatedAt: post.updatedAt, vector };
}

function statusOf(publisher: PublisherDocument): PublisherStatus {
  const { verified, suspended } = publisherDocumentStatus(publisher);
  return { id: publisher._id, verified, suspended: suspended || publisher.erasing };
}

const idsAfter = (after: string | null) => (after === null ? {} : { _id: { $gt: after } });
const inPages = (limit: number | undefined) =>
  limit === undefined ? {} : ({ sort: { _id: 1 }, limit, batchSize: limit } as const);
