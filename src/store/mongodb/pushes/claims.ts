import { randomUUID } from "node:crypto";
import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { chooseDue } from "../../rules/claims.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import type { MongodbContext } from "../database/context.ts";
import { type PushDocument, timeOf } from "../database/schema/documents.ts";

type DuePush = PushDocument & { id: string; origin: string };

/** A claim is tried again this often when other processes took all that this one saw. */
const TRIES = 5;

/** See `PushStore.claim`: chosen pushes get a token and a lease by one write, each only if it is still due. */
export async function claimPushDocuments(
  { collections }: MongodbContext,
  options: Parameters<PushStore["claim"]>[0],
): Promise<ClaimedPush[]> {
  const { pushes, subscriptions } = collections;
  const now = new Date(options.now);
  const due = { state: "waiting", due_at: { $lte: now } } as const;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const chosen = await chooseDue<DuePush>(options, async ({ failing, without, limit }) => {
      const found = await pushes
        .find(
          { ...due, failing, origin: without.length === 0 ? { $gt: "" } : { $gt: "", $nin: without } },
          { sort: { due_at: 1, delivery_id: 1 }, limit },
        )
        .toArray();
      return found.map((push) => ({ ...push, id: push._id, origin: push.origin ?? "" }));
    });
    if (chosen.length === 0) return [];
    const token = randomUUID();
    const ids = { _id: { $in: chosen.map(({ _id }) => _id) } };
    const attempts = { $cond: [{ $gt: ["$again_at", null] }, 0, "$attempts"] };
    const due_at = new Date(options.now + options.leaseMs);
    const { modifiedCount } = await pushes.updateMany({ ...ids, ...due }, [
      { $set: { token, due_at, attempts, again_at: null } },
    ]);
    if (modifiedCount === 0) continue;
    const [won, receivers] = await Promise.all([
      modifiedCount === chosen.length ? chosen : pushes.find({ ...ids, token }).toArray(),
      subscriptions
        .find(
          { _id: { $in: [...new Set(chosen.map(({ subscription_id }) => subscription_id))] } },
          { projection: { publisher_id: 1, webhook_url: 1 } },
        )
        .toArray(),
    ]);
    const mine = new Set(won.map(({ _id }) => _id));
    const byId = new Map(receivers.map((receiver) => [receiver._id, receiver]));
    return chosen.flatMap((push): ClaimedPush[] => {
      const receiver = byId.get(push.subscription_id);
      // The remains of a removed one are being purged.
      if (!mine.has(push._id) || receiver === undefined) return [];
      return [
        {
          subscriptionId: push.subscription_id,
          deliveryId: push.delivery_id,
          postId: push.post_id,
          matchedAt: push.matched_at.getTime(),
          token,
          attempts: attemptsBefore({ attempts: push.attempts, againAt: timeOf(push.again_at) }),
          receiver: {
            publisherId: receiver.publisher_id,
            webhookUrl: receiver.webhook_url,
            origin: push.origin,
            failing: push.failing,
          },
        },
      ];
    });
  }
  return [];
}
