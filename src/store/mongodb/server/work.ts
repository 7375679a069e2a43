import { randomUUID } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { WorkItem, WorkKind, WorkStore } from "../../../ports/store/index.ts";
import type { WorkDocument } from "../schema/documents.ts";
import type { Parts } from "./context.ts";
import { inSession } from "./reads.ts";

export function workStore(parts: Parts): WorkStore {
  const { connection, collections } = parts;
  const { work } = collections;
  return {
    claim: (kind, options) => connection.run(() => claim(parts, kind, options)),
    done: (items) => connection.run(() => settle(parts, undefined, items)),

    async giveBack(items, dueAt) {
      if (items.length === 0) return;
      await connection.run(() =>
        work.bulkWrite(
          claimsOf(items).map((filter) => ({
            updateMany: { filter, update: { $set: { token: null, due_at: new Date(dueAt) } } },
          })),
        ),
      );
    },

    backlog: (kind) => connection.run(() => work.countDocuments({ kind })),
  };
}

/** Enqueues anew: an item that is claimed just now loses its token, so that the claim cannot settle it. */
export async function enqueueAll(
  { collections }: Parts,
  session: ClientSession,
  items: readonly { kind: WorkKind; postId: string; dueAt: number }[],
): Promise<void> {
  if (items.length === 0) return;
  await collections.work.bulkWrite(
    items.map(({ kind, postId, dueAt }) => ({
      updateOne: {
        filter: { _id: workId(kind, postId) },
        update: { $set: freshWork(kind, postId, dueAt) },
        upsert: true,
      },
    })),
    { session },
  );
}

/** Enqueues anew what is enqueued or claimed: a vector worked out from the post before this edit will be passed over. */
export async function renew(
  { collections }: Parts,
  session: ClientSession,
  { kind, postId, dueAt }: { kind: WorkKind; postId: string; dueAt: number },
): Promise<void> {
  const fresh = { $set: freshWork(kind, postId, dueAt) };
  await collections.work.updateOne({ _id: workId(kind, postId) }, fresh, { session });
}

/** Deletes items whose claim is still theirs. */
export async function settle(
  { collections }: Parts,
  session: ClientSession | undefined,
  items: readonly WorkItem[],
): Promise<void> {
  if (items.length === 0) return;
  await collections.work.bulkWrite(
    claimsOf(items).map((filter) => ({ deleteMany: { filter } })),
    inSession(session),
  );
}

/** Forgets whatever is to be done about posts that are gone. */
export async function dropWork(
  { collections }: Parts,
  session: ClientSession,
  postIds: readonly string[],
): Promise<void> {
  const ids = postIds.flatMap((id) => [workId("match", id), workId("embed", id)]);
  await collections.work.deleteMany({ _id: { $in: ids } }, { session });
}

export const workId = (kind: WorkKind, postId: string): string => `${kind}:${postId}`;

export const freshWork = (kind: WorkKind, postId: string, dueAt: number): Omit<WorkDocument, "_id"> => ({
  kind,
  post_id: postId,
  due_at: new Date(dueAt),
  token: null,
  attempts: 0,
});

/**
 * Takes what is due, each item by a write of its own that finds it still due. Where another claimant was faster, the
 * next items are looked for, until there are enough or none is left.
 */
async function claim(
  { collections: { work } }: Parts,
  kind: WorkKind,
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: number },
): Promise<WorkItem[]> {
  const token = randomUUID();
  const due = { kind, due_at: { $lte: new Date(now) } };
  const claimed: WorkDocument[] = [];
  while (claimed.length < limit) {
    const seen = await work
      .find(due, { projection: { _id: 1, due_at: 1 } })
      .sort({ due_at: 1, _id: 1 })
      .limit(limit - claimed.length)
      .toArray();
    if (seen.length === 0) break;
    const ids = seen.map(({ _id }) => _id);
    const { modifiedCount } = await work.updateMany(
      { ...due, _id: { $in: ids } },
      { $set: { token, due_at: new Date(now + leaseMs) }, $inc: { attempts: 1 } },
    );
    if (modifiedCount === 0) continue;
    const ours = new Map(
      (await work.find({ _id: { $in: ids }, token }).toArray()).map((document) => [document._id, document]),
    );
    claimed.push(...ids.flatMap((id) => ours.get(id) ?? []));
  }
  return claimed.map(({ post_id, attempts }) => ({ kind, postId: post_id, token, attempts }));
}

/** A filter for each claim among the items, since those of one claim have its token in common. */
function claimsOf(items: readonly WorkItem[]): { _id: { $in: string[] }; token: string }[] {
  const byToken = new Map<string, string[]>();
  for (const { kind, postId, token } of items) {
    byToken.set(token, [...(byToken.get(token) ?? []), workId(kind, postId)]);
  }
  return [...byToken].map(([token, ids]) => ({ _id: { $in: ids }, token }));
}
