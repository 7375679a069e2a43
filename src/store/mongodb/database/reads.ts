import type { ClientSession, Document, Filter } from "mongodb";
import type { StoredPost } from "../../../ports/store/index.ts";
import type { MongodbContext } from "./context.ts";
import { postOfDocument } from "./posts.ts";
import type { PostDocument } from "./schema/documents.ts";

/** Reads posts by id, inside a transaction when there is a session, and without vectors unless they are asked for. */

/** Reads one post in any state, or null. */
export async function findPost(
  context: MongodbContext,
  id: string,
  session?: ClientSession,
): Promise<PostDocument | null> {
  return (await findPosts(context, [id], session)).get(id) ?? null;
}

/**
 * Reads the posts that exist, in any state.
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

/** Reads the post of a publisher under an idempotency key, in any state, or null. */
export async function postWithKey(
  context: MongodbContext,
  publisherId: string,
  idempotencyHash: string,
  session?: ClientSession,
): Promise<PostDocument | null> {
  const filter = { publisher_id: publisherId, idempotency_hash: idempotencyHash };
  return context.collections.posts.findOne(filter, { projection: { vec: 0 }, ...inSession(session) });
}

/** Reads posts that pass a filter, as the port has them, in order. */
export async function listPosts(
  { collections }: MongodbContext,
  filter: Filter<PostDocument>,
  { sort, limit }: { sort: Record<string, 1 | -1>; limit: number },
): Promise<StoredPost[]> {
  const found = await collections.posts.find(filter, { projection: { vec: 0 }, sort, limit }).toArray();
  return found.map(postOfDocument);
}

/** Puts a query inside a transaction, if there is one. */
export const inSession = (session: ClientSession | undefined) => (session === undefined ? {} : { session });

/** A reply's id is `<root>-<six more characters>`. */
const rootOf = (id: string): string => id.split("-", 1)[0] as string;

/** One read takes this many rows. */
const ROWS_PER_READ = 200;

/** Reads rows by id. One `many` reads those asked for in one turn of the event loop: each push under way asks for its own. */
export function oneByOne<Row extends { id: string }>(
  many: (ids: readonly string[]) => Promise<Row[]>,
): (id: string) => Promise<Row | null> {
  let next: { ids: Set<string>; rows: Promise<Map<string, Row>> } | null = null;
  const read = async (ids: ReadonlySet<string>) => {
    // What is asked in this turn comes along.
    await null;
    next = null;
    return new Map((await many([...ids])).map((row) => [row.id, row]));
  };
  return async (id) => {
    if (next === null || next.ids.size >= ROWS_PER_READ) {
      const ids = new Set<string>();
      next = { ids, rows: read(ids) };
    }
    next.ids.add(id);
    return (await next.rows).get(id) ?? null;
  };
}
