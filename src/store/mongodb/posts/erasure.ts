import type { ClientSession, Filter } from "mongodb";
import { finishSpreading } from "../publishers/status.ts";
import type { PostDocument } from "../schema/documents.ts";
import type { Parts } from "../server/context.ts";
import { inSession } from "../server/reads.ts";
import { dropWork } from "../server/work.ts";
import { forgetPosts } from "../subscriptions/deliveries.ts";
import { closeInbox, eraseInbox } from "../subscriptions/inbox.ts";
import { removeSubscription, stopSubscriptions } from "../subscriptions/index.ts";
import { recountReplies, repliesTo, uncountPosts } from "./counts.ts";

/**
 * Erasing for good. What this store can promise: afterwards no document, index entry or queue of the board holds the text.
 * Pages that the database freed, its journal and its oplog hold it until they are used anew; backups until they are
 * deleted.
 */

/** Posts erased in one transaction, so that others wait neither long nor often. */
const POSTS_PER_WRITE = 50;
const REPORTS_PER_WRITE = 200;
const ENTRIES_PER_WRITE = 1000;

/** Erases posts that expired, or were removed, before the given times. Replies go before their root. */
export async function erasePosts(
  parts: Parts,
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
    while (erased < limit) {
      const count = await eraseSome(parts, some, Math.min(POSTS_PER_WRITE, limit - erased));
      if (count === 0) break;
      erased += count;
    }
  }
  return erased;
}

/** See `PublisherStore.erase`. Its key fails and nothing is pushed for it from the first transaction on. */
export async function erasePublisher(
  parts: Parts,
  id: string,
): Promise<{ posts: number; subscriptions: number } | null> {
  const { connection, collections } = parts;
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
    await closeInbox(parts, session, id);
    await stopSubscriptions(parts, session, id);
    return { posts: publisher.post_count, subscriptions };
  });
  if (counts === null) return null;
  parts.wrote({ publishers: [id] });
  await finishErasure(parts, id);
  return counts;
}

/** Goes on with whatever a crash interrupted; does no harm beside a process that is at it. */
export async function finishErasures(parts: Parts): Promise<void> {
  const { connection, collections } = parts;
  const open = await connection.run(() =>
    collections.publishers.find({ erasing: true }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of open) await finishErasure(parts, _id);
  await finishSpreading(parts);
}

async function finishErasure(parts: Parts, id: string): Promise<void> {
  const { connection, collections } = parts;
  const subscriptions = await connection.run(() =>
    collections.subscriptions.find({ publisher_id: id }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of subscriptions) await removeSubscription(parts, _id);
  const all: Doomed = { filter: { publisher_id: id }, oldestBy: "created_at" };
  while ((await eraseSome(parts, all, POSTS_PER_WRITE)) > 0);
  while ((await eraseReports(parts, `key:${id}`)) > 0);
  while ((await eraseInbox(parts, id, ENTRIES_PER_WRITE)) > 0);
  await connection.run(() => collections.publishers.deleteOne({ _id: id, erasing: true }));
  parts.wrote({ publishers: [id] });
}

/** What an erasure needs to know of a post. */
const TRACES = { publisher_id: 1, parent_id: 1, root: 1, state: 1 } as const;
type Trace = Pick<PostDocument, "_id" | keyof typeof TRACES>;

/** Which posts go, and by which field the oldest come first, as their index has them. */
interface Doomed {
  filter: Filter<PostDocument>;
  oldestBy: "removed_at" | "expires_at" | "created_at";
}

/** Erases at most `most` of the posts that are doomed and of the replies to them; 0 when all are gone. */
async function eraseSome(parts: Parts, doomed: Doomed, most: number): Promise<number> {
  const { connection } = parts;
  // A post may have more deliveries than one transaction can delete: those that are there now go first, step by step.
  await connection.run(async () => {
    const some = await findWithReplies(parts, doomed, most);
    await forgetPosts(
      parts,
      some.map(({ _id }) => _id),
    );
  });
  const erased = await connection.write([], async (session) => {
    const some = await findWithReplies(parts, doomed, most, session);
    if (some.length > 0) await eraseThese(parts, session, some);
    return some.map(({ _id }) => _id);
  });
  if (erased.length > 0) parts.wrote({ posts: erased });
  return erased.length;
}

async function findWithReplies(
  parts: Parts,
  { filter, oldestBy }: Doomed,
  most: number,
  session?: ClientSession,
): Promise<Trace[]> {
  const { posts } = parts.collections;
  const options = { projection: TRACES, ...inSession(session) };
  const found = await posts
    .find(filter, options)
    .sort({ [oldestBy]: 1 })
    .limit(most)
    .toArray();
  if (found.length === 0) return [];
  const roots = found.filter(({ parent_id }) => parent_id === null).map(({ _id }) => _id);
  const replies = await posts.find(repliesTo(parts, roots), options).limit(most).toArray();
  // A reply that was found may belong to a root that was found too.
  const byId = new Map([...replies, ...found].map((post) => [post._id, post]));
  return [...byId.values()].slice(0, most);
}

async function eraseThese(parts: Parts, session: ClientSession, some: readonly Trace[]): Promise<void> {
  const { posts, post_keys, retrievals, reports, reported_posts } = parts.collections;
  const ids = some.map(({ _id }) => _id);
  const those = { _id: { $in: ids } };
  await posts.deleteMany({ ...those, root: { $in: some.map(({ root }) => root) } }, { session });
  const counted = some.filter(({ state }) => state !== "removed");
  await uncountPosts(
    parts,
    session,
    counted.map(({ publisher_id }) => publisher_id),
  );
  const erased = new Set(ids);
  const roots = some.flatMap(({ parent_id, state }) => (state === "active" ? (parent_id ?? []) : []));
  const left = [...new Set(roots)].filter((root) => !erased.has(root));
  await recountReplies(parts, session, left);
  await dropWork(parts, session, ids);
  await post_keys.deleteMany({ post_id: { $in: ids } }, { session });
  await retrievals.deleteMany(those, { session });
  await reports.deleteMany({ post_id: { $in: ids } }, { session });
  await reported_posts.deleteMany(those, { session });
  await forgetPosts(parts, ids, session);
}

/** Erases reports of one reporter and takes them out of the queue; resolves to how many, 0 when all are gone. */
function eraseReports({ connection, collections }: Parts, reporter: string): Promise<number> {
  const { reports, reported_posts } = collections;
  return connection.write([], async (session) => {
    const some = await reports.find({ reporter }, { session }).limit(REPORTS_PER_WRITE).toArray();
    if (some.length === 0) return 0;
    await reports.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } }, { session });
    // A reporter has one report for each post.
    const posts = { _id: { $in: some.map(({ post_id }) => post_id) } };
    await reported_posts.updateMany(posts, { $inc: { reporters: -1 } }, { session });
    await reported_posts.deleteMany({ ...posts, reporters: { $lte: 0 } }, { session });
    return some.length;
  });
}
