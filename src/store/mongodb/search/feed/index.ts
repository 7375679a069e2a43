import { type ClientSession, type Filter, ReadConcern, type Timestamp } from "mongodb";
import { indexEntryOf } from "../../../../ports/index-entry.ts";
import type { IndexedState, IndexFeed, PublisherStatus } from "../../../../ports/index-feed.ts";
import { limitIds } from "../../../rules/rows.ts";
import type { MongodbContext } from "../../database/context.ts";
import { postOfDocument, publisherDocumentStatus, vectorOfBinary } from "../../database/posts.ts";
import { findPosts } from "../../database/reads.ts";
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
  const own = apart(context);
  const { connection, collections } = own;
  const { posts, publishers } = collections;
  let newest: Timestamp | null = null;
  const read = <T>(ask: (session: ClientSession) => Promise<T>) =>
    connection.run(() =>
      connection.client.withSession({ causalConsistency: true }, (session) => {
        if (newest !== null) session.advanceOperationTime(newest);
        return ask(session);
      }),
    );

  return {
    here: () => connection.run(() => placeNow(connection.db)),

    scanPosts: (after, limit) =>
      read(async (session) => {
        const filter: Filter<PostDocument> = { state: "active" };
        if (after !== null) filter._id = { $gt: after };
        const found = await posts
          .find(filter, { projection: INDEXED, batchSize: limit, session, sort: { _id: 1 }, limit })
          .toArray();
        return { rows: found.map(stateOf), next: nextAfter(found, limit) };
      }),

    scanPublishers: (after, limit) =>
      read(async (session) => {
        const filter: Filter<PublisherDocument> = after === null ? {} : { _id: { $gt: after } };
        const found = await publishers.find(filter, { session, sort: { _id: 1 }, limit }).toArray();
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

const nextAfter = (page: readonly { _id: string }[], limit: number): string | null =>
  page.length < limit ? null : (page.at(-1)?._id ?? null);
