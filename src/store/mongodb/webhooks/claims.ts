import { randomUUID } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import { type PushDocument, timeOf } from "../schema/documents.ts";
import { subscriptionName, subscriptionOf } from "../schema/subscriptions.ts";
import type { Parts } from "../server/context.ts";
import { raise, sequenceName } from "../server/sequences.ts";
import { type ClaimPlan, planClaim } from "./claim-plan.ts";
import { isAnyDue } from "./lanes.ts";
import { touch } from "./queue.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** Lanes that are given their first turn by one claim; the next claim goes on. */
const NEW_LANES_PER_CLAIM = 1000;

/**
 * Looks before it writes: many processes ask often, and mostly there is nothing to do. The claims of all processes raise
 * one sequence, so that each sees those before it and no limit is passed.
 */
export async function claimPushes(parts: Parts, options: Options): Promise<ClaimedPush[]> {
  const { connection } = parts;
  const { served } = await connection.run(async () =>
    (await isAnyDue(parts, new Date(options.now))) ? planClaim(parts, options) : { served: [] },
  );
  if (served.length === 0) return [];
  const names = served.map(({ push }) => subscriptionName(push.subscription_id));
  return connection.write([sequenceName("push_turn"), ...new Set(names)], async (session) => {
    // A number for each that may be served.
    const turn = (await raise(parts, session, "push_turn", options.limit)) - options.limit;
    const plan = await planClaim(parts, options, session);
    return plan.served.length === 0 ? [] : carryOut(parts, session, plan, turn, options);
  });
}

/** Runs inside the transaction that made the plan. */
async function carryOut(
  parts: Parts,
  session: ClientSession,
  { served, newLanes }: ClaimPlan,
  turn: number,
  { now, leaseMs }: Options,
): Promise<ClaimedPush[]> {
  const { push_lanes, push_queue, pushes, subscriptions } = parts.collections;
  const token = randomUUID();
  const leaseEnd = new Date(now + leaseMs);
  const attempts = (push: PushDocument) =>
    attemptsBefore({ attempts: push.attempts, againAt: timeOf(push.again_at) });
  await pushes.bulkWrite(
    served.map(({ lane, push }) => ({
      updateOne: {
        filter: { _id: push._id },
        update: {
          $set: {
            token,
            due_at: leaseEnd,
            claimed_origin: lane.origin,
            claimed_failing: lane.failing,
            attempts: attempts(push),
            again_at: null,
          },
        },
      },
    })),
    { session },
  );

  // Whoever was served goes to the end; of several times, the last counts.
  const places = new Map<string, { due_at: Date; turn: number }>();
  const turns = new Map(newLanes.slice(0, NEW_LANES_PER_CLAIM).map((lane) => [lane._id, turn]));
  for (const [i, { lane, push, nextDueAt }] of served.entries()) {
    const due_at = nextDueAt === null || nextDueAt > leaseEnd ? leaseEnd : nextDueAt;
    places.set(push.subscription_id, { due_at, turn: turn + i + 1 });
    turns.set(lane._id, turn + i + 1);
  }
  const ids = [...places.keys()];
  await touch(parts, session, ids);
  await push_queue.bulkWrite(
    [...places].map(([_id, place]) => ({ updateOne: { filter: { _id }, update: { $set: place } } })),
    { session },
  );
  await push_lanes.bulkWrite(
    [...turns].map(([_id, served]) => ({
      updateOne: { filter: { _id }, update: { $set: { turn: served } }, upsert: true },
    })),
    { session },
  );

  const documents = await subscriptions.find({ _id: { $in: ids } }, { session }).toArray();
  const owners = new Map(documents.map((document) => [document._id, subscriptionOf(document)]));
  return served.flatMap(({ push }) => {
    const subscription = owners.get(push.subscription_id);
    if (subscription === undefined) return [];
    return [
      {
        subscriptionId: push.subscription_id,
        deliveryId: push.delivery_id,
        postId: push.post_id,
        matchedAt: push.matched_at.getTime(),
        token,
        attempts: attempts(push),
        subscription,
      },
    ];
  });
}
