import type { ClientSession } from "mongodb";
import type { InboxEntry, InboxStore, ToldChange } from "../../../ports/store/index.ts";
import { INBOX } from "../../../records/subscription.ts";
import { entriesOfReply, hearersOfEnd, REPLIERS_SOUGHT } from "../../rules/inbox.ts";
import type { MongodbContext } from "../database/context.ts";
import { inSession } from "../database/reads.ts";
import { rowOf } from "../database/rows.ts";
import type { InboxDocument } from "../database/schema/documents.ts";
import { firstVisible } from "../database/visible.ts";

/**
 * The transaction that adds entries also raises their inbox's counter, so their numbers become visible in order. The counter
 * is the publisher's, and an inbox is open until the publisher's erasure begins.
 */

export function mongodbInboxStore(context: MongodbContext): InboxStore {
  const { connection } = context;
  return {
    read: (publisherId, after, limit) => connection.run(() => read(context, publisherId, after, limit)),
    lastNumbers: (publisherIds) => connection.run(() => lastNumbers(context, undefined, publisherIds)),
  };
}

async function read(
  context: MongodbContext,
  publisherId: string,
  after: number,
  limit: number,
): ReturnType<InboxStore["read"]> {
  const { inbox } = context.collections;
  const list = {
    numberOf: ({ no }: InboxDocument) => no,
    page: (from: number, size: number) =>
      inbox
        .find({ publisher_id: publisherId, no: { $gt: from } }, { sort: { no: 1 }, limit: size })
        .toArray(),
  };
  const rows = await firstVisible(context, list, after, limit);
  return rows.map(([row]): InboxEntry => {
    const { publisherId: _publisherId, ...entry } = rowOf(INBOX, row);
    return entry;
  });
}

/** Adds the inbox entries of a reply that is shown from now on; runs inside the transaction that shows it, which writes the root. */
export async function addReplyEntries(
  context: MongodbContext,
  session: ClientSession,
  reply: { id: string; publisherId: string; at: number },
  root: { _id: string; publisher_id: string },
): Promise<void> {
  const repliers = await repliersTo(context, session, root._id);
  const hearers = entriesOfReply(reply.publisherId, root.publisher_id, repliers);
  if (hearers.length === 0) return;
  const inboxes = await lastNumbers(
    context,
    session,
    hearers.map(({ publisherId }) => publisherId),
  );
  const entries = hearers.map(({ publisherId, type }) => ({
    publisher_id: publisherId,
    type,
    at: new Date(reply.at),
    post_id: reply.id,
    ...NO_DELIVERY,
    change: null,
  }));
  await addEntryDocuments(context, session, inboxes, entries);
}

/** Finds publishers with an active reply, each once. Jumps through the index: a thread may have far more replies than people. */
async function repliersTo(
  { connection, collections }: MongodbContext,
  session: ClientSession,
  rootId: string,
): Promise<string[]> {
  const shard = connection.sharded ? { root: rootId } : {};
  const repliers = await collections.posts
    .aggregate<{ _id: string }>(
      [
        { $match: { ...shard, parent_id: rootId, state: "active" } },
        { $group: { _id: "$publisher_id" } },
        { $limit: REPLIERS_SOUGHT },
      ],
      { session },
    )
    .toArray();
  return repliers.map(({ _id }) => _id);
}

const NO_DELIVERY = { subscription_id: null, delivery_id: null } as const;

/** Tells those who answered a root that it has ended; runs inside the transaction that ends it, while its replies are there. */
export async function addEndEntries(
  context: MongodbContext,
  session: ClientSession,
  root: { _id: string; publisher_id: string },
  change: ToldChange,
): Promise<void> {
  const hearers = hearersOfEnd(root.publisher_id, await repliersTo(context, session, root._id));
  if (hearers.length === 0) return;
  const inboxes = await lastNumbers(context, session, hearers);
  const entry = {
    type: "activity",
    at: new Date(change.at),
    post_id: root._id,
    ...NO_DELIVERY,
    change,
  } as const;
  const entries = hearers.map((publisher_id) => ({ publisher_id, ...entry }));
  await addEntryDocuments(context, session, inboxes, entries);
}

type NewEntry = Omit<InboxDocument, "_id" | "no">;

/** Reads the number of the last entry in each inbox that is open; inside a transaction when there is a session. */
export async function lastNumbers(
  { collections }: MongodbContext,
  session: ClientSession | undefined,
  publisherIds: readonly string[],
): Promise<Map<string, number>> {
  const open = { _id: { $in: [...new Set(publisherIds)] }, erasing: false };
  const publishers = await collections.publishers
    .find(open, { projection: { inbox_no: 1 }, ...inSession(session) })
    .toArray();
  return new Map(publishers.map(({ _id, inbox_no }) => [_id, inbox_no]));
}

export const entryId = (publisherId: string, no: number): string => `${publisherId}:${no}`;

/**
 * Adds entries in their order, except to inboxes that are not open.
 *
 * @param inboxes  as `lastNumbers` gave them in this transaction
 */
export async function addEntryDocuments(
  { collections }: MongodbContext,
  session: ClientSession,
  inboxes: ReadonlyMap<string, number>,
  entries: readonly NewEntry[],
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
  // If another transaction has changed a counter meanwhile, this write fails and everything is tried again.
  await collections.publishers.bulkWrite(
    [...last].map(([_id, no]) => ({ updateOne: { filter: { _id }, update: { $set: { inbox_no: no } } } })),
    { session },
  );
  await collections.inbox.insertMany(added, { session });
}
