import type { ClientSession } from "mongodb";
import type { SubscriptionStore } from "../../../ports/store/index.ts";
import { subscriptionOfDocument } from "../schema/subscriptions.ts";
import type { MongodbContext } from "../server/context.ts";
import { ofOneMoment } from "../server/reads.ts";
import { raiseSequence, sequenceValue } from "../server/sequences.ts";

type Changes = Awaited<ReturnType<SubscriptionStore["changes"]>>;

/** The number of a change, taken before anything else in its transaction. An unused number leaves a harmless gap. */
export function nextChange(context: MongodbContext, session: ClientSession): Promise<number> {
  return raiseSequence(context, session, "subscription_change");
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
  const until = await sequenceValue(context, "subscription_change");
  if (until <= after) return { next: after, rows: [] };
  const range = { change_no: { $gt: after, $lte: until } };
  const options = ofOneMoment(context.connection);
  const [kept, removed] = await Promise.all([
    subscriptions.find(range, options).sort({ change_no: 1 }).limit(limit).toArray(),
    removed_subscriptions.find(range, options).sort({ change_no: 1 }).limit(limit).toArray(),
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
