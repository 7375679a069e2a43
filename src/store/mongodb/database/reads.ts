import type { ClientSession, Document, Filter, FindOptions } from "mongodb";
import type { StoredPost, StoredPublisher } from "../../../ports/store/index.ts";
import type { MongodbContext } from "./context.ts";
import { postOfDocument } from "./posts.ts";
import { publisherOfDocument } from "./publishers.ts";
import type { PostDocument, PublisherDocument } from "./schema/documents.ts";

/** Reads posts by id, inside a transaction when there is a session, and without vectors unless they are asked for. */

/** One post in any state, or null. */
export async function findPost(
  context: MongodbContext,
  id: string,
  session?: ClientSession,
): Promise<PostDocument | null> {
  return (await findPosts(context, [id], session)).get(id) ?? null;
}

/**
 * Those of the posts that exist, in any state.
 *
 * Behind mongos, it looks first on the shards that the ids suggest, and on all shards only for the rest: ids name their
 * thread by convention, not by a rule of this store.
 */
export async function findPosts(
  { connection, collections }: MongodbContext,
  ids: readonly string[],
  session?: ClientSession,
  projection: Document = { vec: 0 },
): Promise<Map<string, PostDocument>> {
  const found = new Map<string, PostDocument>();
  const find = async (filter: Document) => {
    const documents = await collections.posts.find(filter, { projection, ...inSession(session) }).toArray();
    for (const document of documents) found.set(document._id, document);
  };
  if (connection.sharded) await find({ _id: { $in: ids }, root: { $in: [...new Set(ids.map(rootOf))] } });
  const rest = ids.filter((id) => !found.has(id));
  if (rest.length > 0) await find({ _id: { $in: rest } });
  return found;
}

/** The post of a publisher under an idempotency key, in any state, or null. */
export async function postWithKey(
  context: MongodbContext,
  publisherId: string,
  idempotencyHash: string,
  session?: ClientSession,
): Promise<PostDocument | null> {
  const filter = { publisher_id: publisherId, idempotency_hash: idempotencyHash };
  return context.collections.posts.findOne(filter, { projection: { vec: 0 }, ...inSession(session) });
}

/**
 * Those of the posts that anyone may see, by id: neither they nor the posts they answer are hidden, by themselves or with a
 * publisher.
 */
export async function visiblePosts(
  context: MongodbContext,
  ids: readonly string[],
): Promise<Map<string, unknown>> {
  const shown = await withPublishers(context, ids, STATE, { _id: 1 });
  return new Map(shown.map(([post]) => [post._id, post]));
}

/** The same, whole and with their publishers. */
export async function visiblePostRows(
  context: MongodbContext,
  ids: readonly string[],
): Promise<Map<string, { post: StoredPost; publisher: StoredPublisher }>> {
  const shown = await withPublishers(context, ids, { vec: 0 });
  return new Map(
    shown.map(([post, publisher]) => [
      post._id,
      {
        post: postOfDocument(post),
        publisher: publisherOfDocument(publisher),
      },
    ]),
  );
}

/** What decides whether a post is seen. */
const STATE = { publisher_id: 1, parent_id: 1, state: 1 } as const;

/** @returns visible posts and their publishers, with the given fields */
async function withPublishers(
  context: MongodbContext,
  ids: readonly string[],
  fields: Document,
  publisherFields: Document = {},
): Promise<[PostDocument, PublisherDocument][]> {
  const posts = await findPosts(context, [...new Set(ids)], undefined, fields);
  const roots = new Set([...posts.values()].flatMap(({ parent_id }) => parent_id ?? []));
  const missing = [...roots].filter((id) => !posts.has(id));
  const known =
    missing.length === 0
      ? posts
      : new Map([...posts, ...(await findPosts(context, missing, undefined, STATE))]);
  const owners = new Set([...known.values()].map(({ publisher_id }) => publisher_id));
  const publishers = await context.collections.publishers
    .find({ _id: { $in: [...owners] }, erasing: false, suspended_at: null }, { projection: publisherFields })
    .toArray();
  const open = new Map(publishers.map((publisher) => [publisher._id, publisher]));
  const ownerOf = (id: string) => {
    const post = known.get(id);
    return post?.state === "active" ? open.get(post.publisher_id) : undefined;
  };
  return [...posts.values()].flatMap((post): [PostDocument, PublisherDocument][] => {
    const publisher = ownerOf(post._id);
    const isSeen =
      publisher !== undefined && (post.parent_id === null || ownerOf(post.parent_id) !== undefined);
    return isSeen ? [[post, publisher]] : [];
  });
}

/** Posts that pass a filter, as the port has them, in order. */
export async function listPosts(
  { collections }: MongodbContext,
  filter: Filter<PostDocument>,
  { sort, limit }: { sort: Record<string, 1 | -1>; limit: number },
): Promise<StoredPost[]> {
  const found = await collections.posts.find(filter, { projection: { vec: 0 }, sort, limit }).toArray();
  return found.map(postOfDocument);
}

/** Those that belong to no subscription, or to one that still exists: the remains of a removed one are being purged. */
export async function withSubscription<T extends { subscription_id: string | null }>(
  { collections }: MongodbContext,
  documents: T[],
  options: FindOptions = {},
): Promise<T[]> {
  const ids = [...new Set(documents.flatMap(({ subscription_id }) => subscription_id ?? []))];
  if (ids.length === 0) return documents;
  const found = await collections.subscriptions
    .find({ _id: { $in: ids } }, { ...options, projection: { _id: 1 } })
    .toArray();
  const there = new Set(found.map(({ _id }) => _id));
  return documents.filter(({ subscription_id }) => subscription_id === null || there.has(subscription_id));
}

/** Options of a query inside a transaction, if there is one. */
export const inSession = (session: ClientSession | undefined) => (session === undefined ? {} : { session });

/** A reply's id is `<root>-<six more characters>`. */
const rootOf = (id: string): string => id.split("-", 1)[0] as string;
