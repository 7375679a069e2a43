import type { ClientSession, Filter } from "mongodb";
import type { ErasedPublisher } from "../../../ports/store/index.ts";
import { inSteps } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { inSession } from "../database/reads.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { finishStatusCopies } from "../publishers/status.ts";
import { deleteDeliveriesOf } from "../subscriptions/deliveries.ts";
import { removeSubscriptionDocuments, stopSubscriptions } from "../subscriptions/index.ts";
import { recountReplyDocuments, repliesTo, uncountPosts } from "./counts.ts";

/**
 * Physical erasure, as far as this store can promise it: afterwards no document, index entry or queue of the board holds
 * the text. Freed pages, the journal and the oplog hold it
 * until the database overwrites them, backups until they are deleted.
 */

/** Posts erased in one transaction: others should wait neither long nor often. */
const POSTS_PER_WRITE = 50;
const REPORTS_PER_WRITE = 200;

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
    erased += await inSteps(limit - erased, POSTS_PER_WRITE, (most) => eraseSome(context, some, most));
  }
  return erased;
}

/** See `PublisherStore.erase`. From the first transaction on, the key fails and nothing is pushed. */
export async function erasePublisherDocuments(
  context: MongodbContext,
  id: string,
): Promise<ErasedPublisher | null> {
  const { connection, collections } = context;
  const counts = await connection.write([`publisher:${id}`], async (session) => {
    const publisher = await collections.publishers.findOneAndUpdate(
      { _id: id, erasing: false },
      {
        $set: {
          erasing: true,
          key_hash: `erased ${id}`,
          name: "",
          description: null,
          url: null,
          domain: null,
          verify_token: null,
          verified_at: null,
          verified_via: null,
        },
      },
      { session, projection: { post_count: 1 } },
    );
    if (publisher === null) return null;
    const subscriptions = await collections.subscriptions.countDocuments({ publisher_id: id }, { session });
    await collections.sign_ins.deleteMany({ publisher_id: id }, { session });
    await stopSubscriptions(context, session, id);
    return { posts: publisher.post_count, subscriptions };
  });
  if (counts === null) return null;
  context.wrote({ publishers: [id] });
  await finishErasure(context, id);
  return { ...counts, complete: true };
}

/** Completes what a crash interrupted, status copies included; harmless while another process does the same. */
export async function finishDocumentErasures(context: MongodbContext): Promise<void> {
  const { connection, collections } = context;
  const open = await connection.run(() =>
    collections.publishers.find({ erasing: true }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of open) await finishErasure(context, _id);
  await finishStatusCopies(context);
}

async function finishErasure(context: MongodbContext, id: string): Promise<void> {
  const { connection, collections } = context;
  const subscriptions = await connection.run(() =>
    collections.subscriptions.find({ publisher_id: id }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of subscriptions) await removeSubscriptionDocuments(context, _id);
  const all: Doomed = { filter: { publisher_id: id }, oldestBy: "created_at" };
  while ((await eraseSome(context, all, POSTS_PER_WRITE)) > 0);
  while ((await eraseReports(context, `key:${id}`)) > 0);
  await connection.runLong(async () => {
    await collections.inbox.deleteMany({ publisher_id: id });
    await collections.publishers.deleteOne({ _id: id, erasing: true });
  });
  context.wrote({ publishers: [id] });
}

/** The fields of a post that an erasure needs. */
const TRACES = { publisher_id: 1, parent_id: 1, root: 1, state: 1 } as const;
type Trace = Pick<PostDocument, "_id" | keyof typeof TRACES>;

/** The posts to erase, and the indexed field that puts the oldest first. */
interface Doomed {
  filter: Filter<PostDocument>;
  oldestBy: "removed_at" | "expires_at" | "created_at";
}

/** Erases at most `most` of the doomed posts and the replies to them; resolves to how many, 0 when all are gone. */
async function eraseSome(context: MongodbContext, doomed: Doomed, most: number): Promise<number> {
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
  const { posts, reports, reported_posts } = context.collections;
  const ids = some.map(({ _id }) => _id);
  const those = { _id: { $in: ids } };
  await posts.deleteMany({ ...those, root: { $in: some.map(({ root }) => root) } }, { session });
  const counted = some.filter(({ state }) => state !== "removed");
  await uncountPosts(
    context,
    session,
    counted.map(({ publisher_id }) => publisher_id),
  );
  const erased = new Set(ids);
  const roots = some.flatMap(({ parent_id, state }) => (state === "active" ? (parent_id ?? []) : []));
  const left = [...new Set(roots)].filter((root) => !erased.has(root));
  await recountReplyDocuments(context, session, left);
  await reports.deleteMany({ post_id: { $in: ids } }, { session });
  await reported_posts.deleteMany(those, { session });
  await deleteDeliveriesOf(context, ids, session);
}

/** Erases some reports of one reporter and their places in the queue; resolves to how many, 0 when all are gone. */
function eraseReports({ connection, collections }: MongodbContext, reporter: string): Promise<number> {
  const { reports, reported_posts } = collections;
  return connection.write([], async (session) => {
    const some = await reports.find({ reporter }, { session, limit: REPORTS_PER_WRITE }).toArray();
    if (some.length === 0) return 0;
    await reports.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } }, { session });
    // A reporter has one report for each post.
    const posts = { _id: { $in: some.map(({ post_id }) => post_id) } };
    await reported_posts.updateMany(posts, { $inc: { reporters: -1 } }, { session });
    await reported_posts.deleteMany({ ...posts, reporters: { $lte: 0 } }, { session });
    return some.length;
  });
}
