import type { ClientSession } from "mongodb";
import type { SubscriptionStore } from "../../../ports/store/index.ts";
import type { MongodbContext } from "../database/context.ts";
import { inSession } from "../database/reads.ts";
import { subscriptionOfDocument } from "../database/subscriptions.ts";

type Changes = Awaited<ReturnType<SubscriptionStore["changes"]>>;

const SEQUENCE = { _id: "subscription_change" } as const;
/** A transaction that changes saved queries has this name in `alone`. */
export const CHANGES = "sequence:subscription_change";

/**
 * Takes the number of the last of this many changes, before anything else in their transaction. When two transactions take
 * numbers, the database commits one and makes the other start again, so they become visible in order. An unused number
 * leaves a harmless gap.
 */
export async function nextChange(
  { collections }: MongodbContext,
  session: ClientSession,
  changes = 1,
): Promise<number> {
  const sequence = await collections.sequences.findOneAndUpdate(
    SEQUENCE,
    { $inc: { n: changes } },
    { session, upsert: true, returnDocument: "after" },
  );
  return sequence?.n ?? changes;
}

/** Raises change numbers, so that from now on none is below `least`. */
export async function raiseChanges(
  { collections }: Pick<MongodbContext, "collections">,
  least: number,
  session?: ClientSession,
): Promise<void> {
  await collections.sequences.updateOne(
    SEQUENCE,
    { $max: { n: least } },
    { upsert: true, ...inSession(session) },
  );
}

/** Reads the number of the last change, 0 before the first. */
export async function lastChange({ collections }: MongodbContext): Promise<number> {
  return (await collections.sequences.findOne(SEQUENCE))?.n ?? 0;
}

/**
 * See `SubscriptionStore.changes`. Misses nothing although it runs outside a transaction: numbers become visible in order,
 * so all up to `until` are there, and a row that changes again meanwhile appears under its newer number.
 */
export async function readChangeDocuments(
  context: MongodbContext,
  after: number,
  limit: number,
): Promise<Changes> {
  const { subscriptions, removed_subscriptions } = context.collections;
  const until = await lastChange(context);
  if (until <= after) return { next: after, rows: [] };
  const range = { change_no: { $gt: after, $lte: until } };
  const [kept, removed] = await Promise.all([
    subscriptions.find(range, { sort: { change_no: 1 }, limit }).toArray(),
    removed_subscriptions.find(range, { sort: { change_no: 1 }, limit }).toArray(),
  ]);
  const changes = [
    ...kept.map((document) => ({
      no: document.change_no,
      id: document._id,
      subscription: subscriptionOfDocument(document),
    })),
    ...removed.map(({ _id, change_no }) => ({ no: change_no, id: _id, subscription: null })),
  ]
    .sort((a, b) => a.no - b.no)
    .slice(0, limit);
  return {
    next: changes.at(-1)?.no ?? after,
    rows: changes.map(({ id, subscription }) => ({ id, subscription })),
  };
}
