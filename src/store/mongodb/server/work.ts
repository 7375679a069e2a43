import { randomBytes, randomUUID } from "node:crypto";
import { type AnyBulkWriteOperation, type ClientSession, Long } from "mongodb";
import { ALL_PARTS, type WorkItem, type WorkKind, type WorkStore } from "../../../ports/store/index.ts";
import type { WorkDocument } from "../schema/documents.ts";
import type { MongodbContext } from "./context.ts";
import { inSession } from "./reads.ts";

export function mongodbWorkStore(context: MongodbContext): WorkStore {
  const { connection, collections } = context;
  const { work } = collections;
  return {
    claim: (kind, options) => connection.run(() => claim(context, kind, options)),
    done: (items) => connection.run(() => settleWorkDocuments(context, undefined, items)),

    async giveBack(items, dueAt) {
      if (items.length === 0) return;
      await connection.run(() =>
        work.bulkWrite(
          claimsOf(items).map(({ filter }) => ({
            updateMany: { filter, update: { $set: { token: null, due_at: new Date(dueAt) } } },
          })),
        ),
      );
    },

    backlog: (kind) => connection.run(() => work.countDocuments({ kind })),
  };
}

/** Enqueues again from the start: a claimed item loses its token, so that its claim cannot settle it. */
export async function enqueueAll(
  { collections }: MongodbContext,
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

/** Enqueues again what is enqueued or claimed: a vector of the post before this edit will be rejected. */
export async function renewWorkDocument(
  { collections }: MongodbContext,
  session: ClientSession,
  { kind, postId, dueAt }: { kind: WorkKind; postId: string; dueAt: number },
): Promise<void> {
  const fresh = { $set: freshWork(kind, postId, dueAt) };
  await collections.work.updateOne({ _id: workId(kind, postId) }, fresh, { session });
}

/** Deletes items that are still claimed under their token, or marks their parts as done and deletes those done for all. */
export async function settleWorkDocuments(
  { collections }: MongodbContext,
  session: ClientSession | undefined,
  items: readonly WorkItem[],
): Promise<void> {
  if (items.length === 0) return;
  await collections.work.bulkWrite(claimsOf(items).flatMap(settlementOf), inSession(session));
}

/** Deletes all work on posts that are gone. */
export async function dropWork(
  { collections }: MongodbContext,
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
  token: kind === "match" ? newWorkToken() : null,
  attempts: 0,
  done: 0,
});

/** Short, since it stands in each post's part of the log. */
const newWorkToken = (): string => randomBytes(6).toString("base64url");

/** Items that were matched with all these parts. The driver's types know no long number here, the server does. */
export const doneWith = (parts: bigint): { $bitsAllSet: number } => ({
  $bitsAllSet: Long.fromBigInt(parts) as unknown as number,
});

/**
 * Claims due items, each by a write that finds it still due. Where another claimant was faster, looks for the next items
 * until there are enough or none is left.
 */
async function claim(
  { collections: { work } }: MongodbContext,
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

type Claim = { filter: { _id: { $in: string[] }; token: string | null }; parts: bigint | undefined };

function settlementOf({ filter, parts }: Claim): AnyBulkWriteOperation<WorkDocument>[] {
  if (parts === undefined || parts === ALL_PARTS) return [{ deleteMany: { filter } }];
  const done = Long.fromBigInt(parts);
  // An older release leaves the bits of an earlier time when it enqueues again.
  if (filter.token === null)
    return [{ updateMany: { filter, update: { $set: { done, token: newWorkToken() } } } }];
  return [
    // The last one writes no mark before it deletes, unless others end at the same moment.
    { deleteMany: { filter: { ...filter, done: doneWith(ALL_PARTS & ~parts) } } },
    { updateMany: { filter, update: { $bit: { done: { or: done } } } } },
    { deleteMany: { filter: { ...filter, done: doneWith(ALL_PARTS) } } },
  ];
}

/** One filter for each claim among the items; the items of a claim share its token. */
function claimsOf(items: readonly WorkItem[]): Claim[] {
  const byToken = new Map<string, Claim>();
  for (const { kind, postId, token, parts } of items) {
    const claim = byToken.get(token) ?? {
      filter: { _id: { $in: [] }, token: token === NO_TOKEN ? null : token },
      parts,
    };
    claim.filter._id.$in.push(workId(kind, postId));
    byToken.set(token, claim);
  }
  return [...byToken.values()];
}

/** Stands for the token of an item that an older release enqueued. */
export const NO_TOKEN = "";
