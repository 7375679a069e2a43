import type { ClientSession, Document, Filter, FindOptions } from "mongodb";
import type { StoredPost } from "../../../ports/store/index.ts";
import type { PostDocument } from "../schema/documents.ts";
import { postOfDocument } from "../schema/posts.ts";
import type { MongodbContext } from "./context.ts";

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
  const key = await context.collections.post_keys.findOne(
    { _id: keyId(publisherId, idempotencyHash) },
    inSession(session),
  );
  return key === null ? null : findPost(context, key.post_id, session);
}

export const keyId = (publisherId: string, idempotencyHash: string): string =>
  `${publisherId}:${idempotencyHash}`;

/** Ids of posts that anyone may see: neither they nor the posts they answer are hidden, by themselves or with a publisher. */
export async function visiblePosts(context: MongodbContext, ids: readonly string[]): Promise<Set<string>> {
  const fields = { publisher_id: 1, parent_id: 1, state: 1 } as const;
  const posts = await findPosts(context, [...new Set(ids)], undefined, fields);
  const roots = new Set([...posts.values()].flatMap(({ parent_id }) => parent_id ?? []));
  const missing = [...roots].filter((id) => !posts.has(id));
  const known =
    missing.length === 0
      ? posts
      : new Map([...posts, ...(await findPosts(context, missing, undefined, fields))]);
  const active = new Map([...known].filter(([, { state }]) => state === "active"));
  const publishers = await context.collections.publishers
    .find(
      { _id: { $in: [...new Set([...active.values()].map((post) => post.publisher_id))] } },
      { projection: { erasing: 1, suspended_at: 1 } },
    )
    .toArray();
  const open = new Set(
    publishers.filter(({ erasing, suspended_at }) => !erasing && suspended_at === null).map(({ _id }) => _id),
  );
  const isOpen = (id: string) => open.has(active.get(id)?.publisher_id ?? "");
  const visible = [...posts].filter(
    ([id, { parent_id }]) => isOpen(id) && (parent_id === null || isOpen(parent_id)),
  );
  return new Set(visible.map(([id]) => id));
}

/** Posts that pass a filter, as the port has them, in order. */
export async function listPosts(
  { collections }: MongodbContext,
  filter: Filter<PostDocument>,
  { sort, limit }: { sort: Record<string, 1 | -1>; limit: number },
): Promise<StoredPost[]> {
  const found = await collections.posts
    .aggregate<PostDocument & { counted: { n: number }[] }>([
      { $match: filter },
      { $sort: sort },
      { $limit: limit },
      { $project: { vec: 0 } },
      { $lookup: { from: "retrievals", localField: "_id", foreignField: "_id", as: "counted" } },
    ])
    .toArray();
  return found.map(({ counted, ...document }) => postOfDocument(document, counted[0]?.n ?? 0));
}

/** Retrievals of each post; posts without any are left out. */
export async function retrievalsOf(
  { collections }: MongodbContext,
  ids: readonly string[],
  options: FindOptions = {},
): Promise<Map<string, number>> {
  const documents = await collections.retrievals.find({ _id: { $in: ids } }, options).toArray();
  return new Map(documents.map(({ _id, n }) => [_id, n]));
}

/** Documents as posts, in the same order. */
export async function storedPosts(
  context: MongodbContext,
  documents: readonly PostDocument[],
): Promise<StoredPost[]> {
  if (documents.length === 0) return [];
  const retrievals = await retrievalsOf(
    context,
    documents.map(({ _id }) => _id),
  );
  return documents.map((document) => postOfDocument(document, retrievals.get(document._id) ?? 0));
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
