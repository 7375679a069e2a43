import type { Parts } from "../server/context.ts";
import { deleteSome } from "../server/delete-some.ts";
import { reached } from "../server/sequences.ts";
import { forgetPushes } from "../webhooks/index.ts";
import { forgetMatches } from "./deliveries.ts";

/** Removed subscriptions stay in the list of changes until that many changes came after them. */
const CHANGES_REMEMBERED = 100_000;
/** An origin that was not served for so many turns has none waiting; should it come back, it comes as a new one. */
const TURNS_REMEMBERED = 1_000_000;

/** See `SubscriptionStore.forgetDeliveries`. What else is remembered for a time only is forgotten along with them. */
export async function forgetDeliveries(parts: Parts, before: number, limit: number): Promise<number> {
  const { push_lanes, removed_subscriptions } = parts.collections;
  // Goes on with what a crash interrupted.
  const unpurged = await removed_subscriptions.find({ purged: false }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unpurged) await purgeSubscription(parts, _id);

  const forgotten = await forgetMatches(parts, before, limit);
  await forgetPushes(parts, before, limit);
  const change = await reached(parts, "subscription_change");
  await deleteSome(removed_subscriptions, { purged: true, change_no: { $lt: change - CHANGES_REMEMBERED } });
  const turn = await reached(parts, "push_turn");
  await deleteSome(push_lanes, { turn: { $lt: turn - TURNS_REMEMBERED } });
  return forgotten;
}

/** Deletes what is left of a removed subscription. */
export async function purgeSubscription({ collections }: Parts, id: string): Promise<void> {
  const { deliveries, inbox, pushes, removed_subscriptions } = collections;
  await deleteSome(deliveries, { subscription_id: id });
  await deleteSome(pushes, { subscription_id: id });
  await deleteSome(inbox, { subscription_id: id });
  await removed_subscriptions.updateOne({ _id: id }, { $set: { purged: true } });
}
