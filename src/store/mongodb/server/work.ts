import { type AnyBulkWriteOperation, type ClientSession, type Filter, Long } from "mongodb";
import { ALL_PARTS, type WorkItem, type WorkKind, type WorkStore } from "../../../ports/store/index.ts";
import type { WorkDocument } from "../schema/documents.ts";
import { afterDue, claimedIn, claimedStamp, claimsIn, movedIn, stampAt } from "../schema/stamps.ts";
import type { MongodbContext } from "./context.ts";
import { inSession } from "./reads.ts";
import type { Write } from "./write-all.ts";

/**
 * All work on a post is one document, which stands in the log for each post: a field for each kind of work, gone when that
 * is done, and the document with the last.
 */

export function mongodbWorkStore(context: MongodbContext): WorkStore {
  const { connection, collections } = context;
  const { work } = collections;
  return {
    claim: (kind, options) => connection.run(() => claim(context, kind, options)),
    done: (items) => connection.run(() => settleWork(context, undefined, items)),

    async giveBack(items, dueAt) {
      if (items.length === 0) return;
      await connection.run(() =>
        work.bulkWrite(
          groupsOf(items).map(({ kind, filter }) => ({
            updateMany: { filter, update: [{ $set: { [kind]: movedIn(stampAt(dueAt), kind) } }] },
          })),
        ),
      );
    },

    backlog: (kind) => connection.run(() => work.countDocuments(WAITING[kind])),
  };
}

/** What has work of a kind. */
export const WAITING = {
  match: { match: { $gt: 0 } },
  embed: { embed: { $gt: 0 } },
} as const satisfies Record<WorkKind, Filter<WorkDocument>>;

/** Enqueues, again from the start: a claim's stamp is gone, so that it cannot settle what came after it. */
export const enqueueing = (postId: string, kinds: readonly WorkKind[], dueAt: number): Write => ({
  to: "work",
  filter: { _id: postId },
  update: freshly(kinds, dueAt),
  upsert: true,
});

const freshly = (kinds: readonly WorkKind[], dueAt: number) => ({
  $set: Object.fromEntries(kinds.map((kind) => [kind, stampAt(dueAt)])),
  ...(kinds.includes("match") ? { $unset: { done: "" } as const } : {}),
});

/** Enqueues again what is enqueued or claimed: a vector of the post before this edit will be rejected. */
export const renewing = (postId: string, kind: WorkKind, dueAt: number): Write => ({
  to: "work",
  filter: { _id: postId, ...WAITING[kind] },
  update: { $set: { [kind]: stampAt(dueAt) } },
});

/** Enqueues `match` of a post that got its vector, and settles the claim that made it. */
export const embedding = (postId: string, dueAt: number, claim: WorkItem | undefined): Write => ({
  to: "work",
  filter: { _id: postId },
  update: [
    { $set: { match: stampAt(dueAt), done: "$$REMOVE" } },
    ...(claim === undefined
      ? []
      : [{ $set: { embed: { $cond: [{ $eq: ["$embed", stampOf(claim)] }, "$$REMOVE", "$embed"] } } }]),
  ],
  upsert: true,
});

/** Settles items that still have their stamp, or marks their parts as done and settles those done for all. */
export async function settleWork(
  { collections }: MongodbContext,
  session: ClientSession | undefined,
  items: readonly WorkItem[],
): Promise<void> {
  if (items.length === 0) return;
  await collections.work.bulkWrite(groupsOf(items).flatMap(settlementOf), inSession(session));
}

/** Deletes all work on posts that are gone. */
export async function dropWork(
  { collections }: MongodbContext,
  session: ClientSession,
  postIds: readonly string[],
): Promise<void> {
  const former = postIds.flatMap((id) => [`match:${id}`, `embed:${id}`]);
  await collections.work.deleteMany({ _id: { $in: [...postIds, ...former] } }, { session });
}

/** Items that were matched with all these parts. The driver's types know no long number here, the server does. */
export const doneWith = (parts: bigint): { $bitsAllSet: number } => ({
  $bitsAllSet: Long.fromBigInt(parts) as unknown as number,
});

/**
 * Takes over what instances of the release before enqueued, in a document for each kind of work. One that such an instance
 * changes meanwhile stays for the next time.
 */
export async function adoptFormerWork({
  collections: { work },
}: Pick<MongodbContext, "collections">): Promise<void> {
  for await (const former of work.find({ kind: { $in: ["match", "embed"] } })) {
    const { _id, kind, post_id, due_at, token } = former;
    if (kind === undefined || post_id === undefined || due_at === undefined) continue;
    await work.updateOne({ _id: post_id }, freshly([kind], due_at.getTime()), { upsert: true });
    await work.deleteOne({ _id, due_at, token: token ?? null });
  }
}

/**
 * Claims due items, each by a write that finds it as it was. Where another claimant was faster, looks for the next items
 * until there are enough or none is left.
 */
async function claim(
  { collections: { work } }: MongodbContext,
  kind: WorkKind,
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: number },
): Promise<WorkItem[]> {
  const claimed: WorkItem[] = [];
  while (claimed.length < limit) {
    const seen = await work
      .find({ [kind]: { $lt: afterDue(now) } }, { projection: { [kind]: 1 } })
      .sort({ [kind]: 1 })
      .limit(limit - claimed.length)
      .toArray();
    if (seen.length === 0) break;
    const found = new Map(seen.map((document) => [document._id, document[kind] ?? 0]));
    const ids = { $in: [...found.keys()] };
    const mine = stampAt(now + leaseMs);
    const { modifiedCount } = await work.updateMany({ _id: ids, [kind]: { $in: [...found.values()] } }, [
      { $set: { [kind]: claimedIn(mine, kind) } },
    ]);
    const stamps = new Map([...found].map(([id, before]) => [id, claimedStamp(mine, before)]));
    if (modifiedCount < found.size) {
      const ours = await work.find({ _id: ids, [kind]: { $in: [...stamps.values()] } }).toArray();
      const won = new Set(ours.map(({ _id }) => _id));
      for (const id of stamps.keys()) if (!won.has(id)) stamps.delete(id);
    }
    for (const [postId, stamp] of stamps) {
      claimed.push({ kind, postId, token: stamp.toString(), attempts: claimsIn(stamp) });
    }
  }
  return claimed;
}

interface Group {
  kind: WorkKind;
  parts: bigint | undefined;
  /** A stamp is of one post alone, so both lists together name the items. */
  filter: Filter<WorkDocument> & { _id: { $in: string[] } };
}

/** Items that are settled alike. */
function groupsOf(items: readonly WorkItem[]): Group[] {
  const groups = new Map<string, [WorkItem, ...WorkItem[]]>();
  for (const item of items) {
    const alike = `${item.kind} ${item.parts}`;
    const some = groups.get(alike);
    if (some === undefined) groups.set(alike, [item]);
    else some.push(item);
  }
  return [...groups.values()].map((some) => {
    const [{ kind, parts }] = some;
    const _id = { $in: some.map(({ postId }) => postId) };
    return { kind, parts, filter: { _id, [kind]: { $in: some.map(stampOf) } } };
  });
}

function settlementOf({ kind, parts, filter }: Group): AnyBulkWriteOperation<WorkDocument>[] {
  if (parts === undefined || parts === ALL_PARTS) return ending(kind, filter);
  return [
    // The last one writes no mark before it ends the work, unless others end at the same moment.
    ...ending(kind, { ...filter, done: doneWith(ALL_PARTS & ~parts) }),
    { updateMany: { filter, update: { $bit: { done: { or: Long.fromBigInt(parts) } } } } },
    ...ending(kind, { ...filter, done: doneWith(ALL_PARTS) }),
  ];
}

/** In this order, so that of two that end both kinds of work at a time one deletes the document. */
function ending(kind: WorkKind, filter: Filter<WorkDocument>): AnyBulkWriteOperation<WorkDocument>[] {
  const [other, fields] = kind === "match" ? ["embed", ["match", "done"]] : ["match", ["embed"]];
  const $unset = Object.fromEntries((fields as string[]).map((field) => [field, ""] as const));
  return [
    { updateMany: { filter: { ...filter, [other as string]: { $gt: 0 } }, update: { $unset } } },
    { deleteMany: { filter: { ...filter, [other as string]: null } } },
  ];
}

const stampOf = ({ token }: WorkItem): Long => Long.fromString(token);
