import { randomUUID } from "node:crypto";
import type { ClientSession, Filter, UpdateFilter } from "mongodb";
import type { WorkItem, WorkKind, WorkStore } from "../../../ports/store/index.ts";
import { latestLease } from "../../rules/claims.ts";
import type { MongodbContext } from "./context.ts";
import { inSession } from "./reads.ts";
import type { DueWork, PostDocument } from "./schema/documents.ts";

/** Work on a post lies in its document: a field for each kind, gone when that is done. */

export function mongodbWorkStore(
  context: MongodbContext,
  onPosts: NonNullable<WorkStore["onPosts"]>,
): WorkStore {
  const { connection, collections } = context;
  return {
    claim: (kind, options) => connection.run(() => claim(context, kind, options)),
    async giveBack(items, dueAt) {
      await connection.run(() =>
        changeClaims(context, undefined, items, (kind) => ({
          $set: { [`${kind}.at`]: new Date(dueAt), [`${kind}.token`]: null },
        })),
      );
    },
    backlog: (kind) => connection.run(() => collections.posts.countDocuments(waiting(kind))),
    oldest: (kind) =>
      connection.run(async () => {
        const next = { sort: { [`${kind}.at`]: 1 }, projection: { updated_at: 1 } } as const;
        const post = await collections.posts.findOne(waiting(kind), next);
        return post === null ? null : post.updated_at.getTime();
      }),
    onPosts,
  };
}

/** Finds posts with work of a kind. */
export const waiting = (kind: WorkKind): Filter<PostDocument> => ({ [`${kind}.at`]: { $gte: new Date(0) } });

/**
 * Enqueues work from the start, due at once by any clock: a claim's token is gone, so that it cannot settle what came after
 * it.
 */
export const DUE_WORK: DueWork = { at: new Date(0), token: null, attempts: 0 };

/** Ends items that still have their token; with `match` goes the change that it told of. */
export function settleWork(
  context: MongodbContext,
  session: ClientSession | undefined,
  items: readonly WorkItem[],
): Promise<void> {
  return changeClaims(context, session, items, (kind) => ({
    $unset: { [kind]: "" },
    ...(kind === "match" ? { $set: { change: null } } : {}),
  }));
}

/** Changes those that still have their token. */
async function changeClaims(
  { collections: { posts } }: MongodbContext,
  session: ClientSession | undefined,
  items: readonly WorkItem[],
  change: (kind: WorkKind) => UpdateFilter<PostDocument>,
): Promise<void> {
  for (const kind of ["match", "embed"] as const) {
    const some = items.filter((item) => item.kind === kind);
    if (some.length === 0) continue;
    const claimed = {
      _id: { $in: some.map(({ postId }) => postId) },
      [`${kind}.token`]: { $in: some.map(({ token }) => token) },
    };
    await posts.updateMany(claimed, change(kind), inSession(session));
  }
}

/** Claims what is due until there is enough or none is left. One write takes what is still due of what was found. */
async function claim(
  { collections: { posts } }: MongodbContext,
  kind: WorkKind,
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: number },
): Promise<WorkItem[]> {
  const claimed: WorkItem[] = [];
  const [at, tokenField, attempts] = [`${kind}.at`, `${kind}.token`, `${kind}.attempts`];
  const due = {
    $or: [{ [at]: { $lte: new Date(now) } }, { [at]: { $gt: new Date(latestLease({ now, leaseMs })) } }],
  };
  while (claimed.length < limit) {
    const found = await posts
      .find(due, { projection: { [kind]: 1 }, sort: { [at]: 1 }, limit: limit - claimed.length })
      .toArray();
    if (found.length === 0) break;
    const token = randomUUID();
    const ids = { _id: { $in: found.map(({ _id }) => _id) } };
    const { modifiedCount } = await posts.updateMany(
      { ...ids, ...due },
      { $set: { [at]: new Date(now + leaseMs), [tokenField]: token }, $inc: { [attempts]: 1 } },
    );
    const won =
      modifiedCount === found.length
        ? found
        : await posts.find({ ...ids, [tokenField]: token }, { projection: { _id: 1 } }).toArray();
    const mine = new Set(won.map(({ _id }) => _id));
    for (const post of found) {
      if (mine.has(post._id))
        claimed.push({ kind, postId: post._id, token, attempts: (post[kind]?.attempts ?? 0) + 1 });
    }
  }
  return claimed;
}
