import type { ClientSession } from "mongodb";
import type { InboxStore } from "../../../ports/store/index.ts";
import { entriesOfReply, REPLIERS_SOUGHT } from "../../rules/inbox.ts";
import { visibleRows } from "../posts/visible-rows.ts";
import type { InboxDocument } from "../schema/documents.ts";
import type { Parts } from "../server/context.ts";
import { deleteSome } from "../server/delete-some.ts";

/**
 * Entries have the numbers of their inbox's counter, which is raised in the transaction that adds them: so they become
 * visible in order. A counter is there from the first moment of a publisher to the first moment of its erasure.
 */

export function inboxStore(parts: Parts): InboxStore {
  const { connection, collections } = parts;
  return {
    read: (publisherId, after, limit) => connection.run(() => read(parts, publisherId, after, limit)),
    forget: (before, limit) =>
      connection.run(() =>
        deleteSome(collections.inbox, { at: { $lt: new Date(before) } }, { limit, sort: { at: 1 } }),
      ),
  };
}

async function read(
  parts: Parts,
  publisherId: string,
  after: number,
  limit: number,
): ReturnType<InboxStore["read"]> {
  const { inbox, inboxes, subscriptions } = parts.collections;
  if ((await inboxes.findOne({ _id: publisherId })) === null) return [];
  const rows = await visibleRows<InboxDocument>(
    parts,
    {
      numberOf: ({ no }) => no,
      page: (from, size) =>
        inbox
          .find({ publisher_id: publisherId, no: { $gt: from } })
          .sort({ no: 1 })
          .limit(size)
          .toArray(),
      // What is left of a removed subscription is not shown while it is purged.
      async keep(rows) {
        const ids = new Set(rows.flatMap(({ subscription_id }) => subscription_id ?? []));
        if (ids.size === 0) return rows;
        const found = await subscriptions
          .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
          .toArray();
        const there = new Set(found.map(({ _id }) => _id));
        return rows.filter(({ subscription_id }) => subscription_id === null || there.has(subscription_id));
      },
    },
    after,
    limit,
  );
  return rows.map((row) => ({
    no: row.no,
    type: row.type,
    at: row.at.getTime(),
    postId: row.post_id,
    subscriptionId: row.subscription_id,
    deliveryId: row.delivery_id,
  }));
}

/** Opens the inbox of a new publisher; runs inside its transaction. */
export async function openInbox(
  { collections }: Parts,
  session: ClientSession,
  publisherId: string,
): Promise<void> {
  await collections.inboxes.insertOne({ _id: publisherId, no: 0 }, { session });
}

/** Closes the inbox of a publisher: nothing is announced to it from then on. Runs inside a transaction. */
export async function closeInbox(
  { collections }: Parts,
  session: ClientSession,
  publisherId: string,
): Promise<void> {
  await collections.inboxes.deleteOne({ _id: publisherId }, { session });
}

/** Erases at most `most` entries of a closed inbox; resolves to how many. */
export function eraseInbox(
  { connection, collections }: Parts,
  publisherId: string,
  most: number,
): Promise<number> {
  return connection.run(() => deleteSome(collections.inbox, { publisher_id: publisherId }, { limit: most }));
}

/** Tells the publishers of a thread of a reply that was just inserted; runs inside its transaction. */
export async function announceReply(
  parts: Parts,
  session: ClientSession,
  reply: { id: string; publisherId: string; at: number },
  root: { id: string; publisherId: string },
): Promise<void> {
  const repliers = await repliersTo(parts, session, root.id, REPLIERS_SOUGHT);
  const entries = entriesOfReply(reply.publisherId, root.publisherId, repliers).map(
    ({ publisherId, type }): Announcement => ({
      publisher_id: publisherId,
      type,
      at: new Date(reply.at),
      post_id: reply.id,
      subscription_id: null,
      delivery_id: null,
    }),
  );
  const inboxes = await lastNumbers(
    parts,
    session,
    entries.map((one) => one.publisher_id),
  );
  await announce(parts, session, inboxes, entries);
}

/** Publishers with an active reply, each once, by jumping through the index: a thread may have more replies than people. */
async function repliersTo(
  { connection, collections }: Parts,
  session: ClientSession,
  rootId: string,
  limit: number,
): Promise<string[]> {
  const shard = connection.sharded ? { root: rootId } : {};
  const repliers = await collections.posts
    .aggregate<{ _id: string }>(
      [
        { $match: { ...shard, parent_id: rootId, state: "active" } },
        { $group: { _id: "$publisher_id" } },
        { $limit: limit },
      ],
      { session },
    )
    .toArray();
  return repliers.map(({ _id }) => _id);
}

type Announcement = Omit<InboxDocument, "_id" | "no">;

/** Number of the last entry of each of the publishers whose inbox is open. */
export async function lastNumbers(
  { collections }: Parts,
  session: ClientSession,
  publisherIds: readonly string[],
): Promise<Map<string, number>> {
  const counters = await collections.inboxes
    .find({ _id: { $in: [...new Set(publisherIds)] } }, { session })
    .toArray();
  return new Map(counters.map(({ _id, no }) => [_id, no]));
}

export const entryId = (publisherId: string, no: number): string => `${publisherId}:${no}`;

/**
 * Adds entries in their order; those to inboxes that are not open are passed over.
 *
 * @param inboxes  as `lastNumbers` gave them in this transaction
 */
export async function announce(
  { collections }: Parts,
  session: ClientSession,
  inboxes: ReadonlyMap<string, number>,
  entries: readonly Announcement[],
): Promise<void> {
  const last = new Map<string, number>();
  const added = entries.flatMap((entry): InboxDocument[] => {
    const before = last.get(entry.publisher_id) ?? inboxes.get(entry.publisher_id);
    if (before === undefined) return [];
    const no = before + 1;
    last.set(entry.publisher_id, no);
    return [{ _id: entryId(entry.publisher_id, no), no, ...entry }];
  });
  if (added.length === 0) return;
  // What was read in this transaction is still so, or it cannot write the counter.
  await collections.inboxes.bulkWrite(
    [...last].map(([_id, no]) => ({ updateOne: { filter: { _id }, update: { $set: { no } } } })),
    { session },
  );
  await collections.inbox.insertMany(added, { session });
}
