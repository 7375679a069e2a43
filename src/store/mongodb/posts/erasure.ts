import type { ClientSession, Filter } from "mongodb";
import { inSteps } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { inSession } from "../database/reads.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { deleteDeliveriesOf } from "../subscriptions/deliveries.ts";
import { recountReplyDocuments, repliesTo, uncountPosts } from "./counts.ts";

/**
 * This is physical erasure, as far as this store can promise it: afterwards no document, index entry or queue of the board
 * holds the text. Freed pages, the journal and the oplog hold it until the database overwrites them, backups until they are
 * deleted.
 */

/** One transaction erases this many posts: others should wait neither long nor often. */
export const POSTS_PER_WRITE = 50;

/** Erases posts that expired, or were removed, before the given times. Replies go before their root. */
export async function erasePostDocuments(
  context: MongodbContext,
  before: { expired: number; removed: number },
  limit: number,
): Promise<number> {
  const removed = { state: "removed", removed_at: { $lt: new Date(before.removed) } } as const;
  const expired = {
    state: { $in: ["active", "hidden"] },
    expires_at: { $lt: new Date(before.expired) },
  } satisfies Filter<PostDocument>;
  const doomed: readonly Doomed[] = [
    { filter: removed, oldestBy: "removed_at" },
    { filter: expired, oldestBy: "expires_at" },
  ];
  let erased = 0;
  for (const some of doomed) {
    erased += await inSteps(limit - erased, POSTS_PER_WRITE, (most) => erasePostsOf(context, some, most));
  }
  return erased;
}

/** An erasure needs these fields of a post. */
const TRACES = { publisher_id: 1, parent_id: 1, root: 1, state: 1 } as const;
type Trace = Pick<PostDocument, "_id" | keyof typeof TRACES>;

/** The filter finds the posts to erase, and the indexed field puts the oldest first. */
interface Doomed {
  filter: Filter<PostDocument>;
  oldestBy: "removed_at" | "expires_at" | "created_at";
}

/** Erases at most `most` of the doomed posts and the replies to them; resolves to how many, 0 when all are gone. */
export async function erasePostsOf(context: MongodbContext, doomed: Doomed, most: number): Promise<number> {
  const { connection } = context;
  // A post may have more deliveries than one transaction can delete: most go first, step by step.
  await connection.runLong(async () => {
    const some = await findWithReplies(context, doomed, most);
    await deleteDeliveriesOf(
      context,
      some.map(({ _id }) => _id),
    );
  });
  const erased = await connection.write([], async (session) => {
    const some = await findWithReplies(context, doomed, most, session);
    if (some.length > 0) await eraseThese(context, session, some);
    return some.map(({ _id }) => _id);
  });
  if (erased.length > 0) context.wrote({ posts: erased });
  return erased.length;
}

async function findWithReplies(
  context: MongodbContext,
  { filter, oldestBy }: Doomed,
  most: number,
  session?: ClientSession,
): Promise<Trace[]> {
  const { posts } = context.collections;
  const options = { projection: TRACES, ...inSession(session) };
  const found = await posts.find(filter, { ...options, sort: { [oldestBy]: 1 }, limit: most }).toArray();
  if (found.length === 0) return [];
  const roots = found.filter(({ parent_id }) => parent_id === null).map(({ _id }) => _id);
  const replies = await posts.find(repliesTo(context, roots), { ...options, limit: most }).toArray();
  // A reply may be found twice, by itself and with its root.
  const byId = new Map([...replies, ...found].map((post) => [post._id, post]));
  return [...byId.values()].slice(0, most);
}

async function eraseThese(
  context: MongodbContext,
  session: ClientSession,
  some: readonly Trace[],
): Promise<void> {
  const { posts, reports } = context.collections;
  const ids = some.map(({ _id }) => _id);
  const roots = some.map(({ root }) => root);
  await posts.deleteMany({ _id: { $in: ids }, root: { $in: roots } }, { session });
  const counted = some.filter(({ state }) => state !== "removed");
  await uncountPosts(context, session, counted);
  const erased = new Set(ids);
  const recounted = some.flatMap(({ parent_id, state }) => (state === "active" ? (parent_id ?? []) : []));
  for (const root of new Set(recounted))
    if (!erased.has(root)) await recountReplyDocuments(context, session, root);
  await reports.deleteMany({ post_id: { $in: ids } }, { session });
  await deleteDeliveriesOf(context, ids, session);
}
