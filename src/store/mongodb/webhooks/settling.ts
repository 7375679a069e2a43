import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushAttempt, PushStore } from "../../../ports/store/index.ts";
import { keptAttempts, settledPush, settledSubscription } from "../../rules/settling.ts";
import { dateOf, type PushDocument, type SubscriptionDocument, timeOf } from "../schema/documents.ts";
import { attemptsOf, historyDocuments } from "../schema/pushes.ts";
import { subscriptionName, subscriptionOfDocument } from "../schema/subscriptions.ts";
import { notVisibleYet } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { Gathered } from "../server/gathered.ts";
import { sequenceName } from "../server/sequences.ts";
import { type Write, writeAll, writeEach } from "../server/write-all.ts";
import { nextChange } from "../subscriptions/changes.ts";
import { AHEAD_READ } from "./ahead.ts";
import { asClaimed, claimedNow, type Held } from "./places.ts";
import { firstDueFirst, firstWaiting, placeWrite, requeueDocuments, type WaitingPush } from "./queue.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

interface Delivered {
  push: ClaimedPush;
  attempt: PushAttempt;
}

const DELIVERED_PER_BATCH = 100;
const KEPT_ATTEMPTS = 20;

/**
 * See `PushStore.settle`. From a delivered push nothing follows for a subscription without failures, so those are settled
 * together: each by one write, and then their places are freed. All others are a transaction each.
 */
export function settlePushDocuments(context: MongodbContext, held: Held): PushStore["settle"] {
  const delivered = new Gathered(
    (batch: readonly Delivered[]) => context.connection.run(() => settleDelivered(context, held, batch)),
    { most: DELIVERED_PER_BATCH },
  );
  return async (push, attempt, outcome) => {
    const simple = outcome.state === "delivered" && !push.receiver.failing;
    if (simple && outcome.dueAt === null && attempt !== null && (await delivered.add({ push, attempt })))
      return true;
    return settleAlone(context, held, push, attempt, outcome);
  };
}

/** Resolves, for each, to whether it is settled: not one that was taken over, or asked for once more meanwhile. */
async function settleDelivered(
  context: MongodbContext,
  held: Held,
  batch: readonly Delivered[],
): Promise<boolean[]> {
  const ends = batch.map(({ push, attempt }): Write => {
    const history = { $each: historyDocuments(keptAttempts([], attempt)), $slice: -KEPT_ATTEMPTS };
    return {
      to: "pushes",
      filter: { ...asClaimed(push), again_at: null, history: { $exists: true } },
      update: {
        $set: { token: null, state: "delivered", due_at: null },
        $inc: { attempts: 1 },
        $push: { history },
      },
    };
  });
  const ids = [...new Set(batch.map(({ push }) => push.subscriptionId))];
  const [counts, failing] = await Promise.all([
    // A majority acknowledges what follows, and these before it.
    writeEach(context, ends, { w: 1 }),
    // Another of its pushes may have failed since the claim; one that fails from now on counts as failed afterwards.
    context.collections.subscriptions
      .find({ _id: { $in: ids }, failures: { $gt: 0 } }, { projection: { webhook_url: 1 } })
      .toArray(),
  ]);
  const settled = counts.map((count) => count > 0);
  const done = batch.filter((_, i) => settled[i]).map(({ push }) => push);
  await writeEach(context, [
    ...done.map((push) => held.release(push)),
    ...done.flatMap((push): Write[] => {
      const { last } = held.of(push);
      const place = { _id: push.subscriptionId, revision: last };
      return last === null ? [] : [{ to: "push_queue", remove: place }];
    }),
  ]);
  const healed = failing
    .filter(({ _id, webhook_url }) =>
      done.some((push) => push.subscriptionId === _id && push.receiver.webhookUrl === webhook_url),
    )
    .map(({ _id }) => _id);
  if (healed.length > 0) {
    await context.connection.write(healed.map(subscriptionName), async (session) => {
      await context.collections.subscriptions.updateMany(
        { _id: { $in: healed } },
        { $set: { failures: 0, failing_since: null }, $inc: { push_changes: 1 } },
        { session },
      );
      await requeueDocuments(context, session, healed);
    });
  }
  return settled;
}

async function settleAlone(
  context: MongodbContext,
  held: Held,
  push: ClaimedPush,
  attempt: PushAttempt | null,
  outcome: Outcome,
): Promise<boolean> {
  const { connection } = context;
  const names = [subscriptionName(push.subscriptionId)];
  if (outcome.deactivate !== null) names.push(sequenceName("subscription_change"));
  // The attempt is over, however this ends, so its place is free.
  const [settled] = await Promise.all([
    connection.write(names, (session) => settleInside(context, session, push, attempt, outcome)),
    connection.run(() => writeEach(context, [held.release(push)])),
  ]);
  return settled;
}

async function settleInside(
  context: MongodbContext,
  session: ClientSession,
  claimed: ClaimedPush,
  attempt: PushAttempt | null,
  outcome: Outcome,
): Promise<boolean> {
  const { subscriptionId, deliveryId, receiver } = claimed;
  const change_no = outcome.deactivate === null ? null : await nextChange(context, session);
  const filter = asClaimed(claimed);
  const [found] = await context.collections.subscriptions
    .aggregate<SubscriptionDocument & { settled: PushDocument[]; waiting: WaitingPush[] }>(
      [
        { $match: { _id: subscriptionId } },
        { $lookup: { from: "pushes", pipeline: [{ $match: filter }], as: "settled" } },
        // Its own push, which waits for the end of the lease, and those after it.
        firstWaiting("waiting", AHEAD_READ + 1, [{ $project: { delivery_id: 1, due_at: 1 } }]),
      ],
      { session },
    )
    .toArray();
  const [push] = found?.settled ?? [];
  if (found === undefined) return false;
  if (push === undefined) {
    if ((await claimedNow(context, [filter])) > 0) throw notVisibleYet();
    return false;
  }

  const next = settledPush({ attempts: push.attempts, againAt: timeOf(push.again_at) }, attempt, outcome);
  const before = subscriptionOfDocument(found);
  const after = settledSubscription(before, receiver, attempt, outcome);
  const { failures, failingSince, active, inactiveReason } = after;
  const own = next.dueAt === null ? [] : [{ delivery_id: deliveryId, due_at: new Date(next.dueAt) }];
  const waiting = [...found.waiting.filter((one) => one._id !== filter._id), ...own].sort(firstDueFirst);
  await writeAll(context, session, [
    {
      to: "pushes",
      filter: { _id: filter._id },
      update: {
        $set: {
          token: null,
          again_at: null,
          state: next.state,
          due_at: dateOf(next.dueAt),
          attempts: next.attempts,
          history: historyDocuments(keptAttempts(attemptsOf(push), attempt)),
        },
      },
    },
    {
      to: "subscriptions",
      filter: { _id: subscriptionId },
      update: {
        $set: {
          failures,
          failing_since: dateOf(failingSince),
          active,
          inactive_reason: inactiveReason,
          ...(change_no !== null && active !== before.active ? { change_no } : {}),
        },
        $inc: { push_changes: 1 },
      },
    },
    placeWrite({ ...found, active, failures }, waiting),
  ]);
  return true;
}
