import { randomUUID } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import { type PushDocument, timeOf } from "../schema/documents.ts";
import { subscriptionName, subscriptionOfDocument } from "../schema/subscriptions.ts";
import type { MongodbContext } from "../server/context.ts";
import { raiseSequence, sequenceName } from "../server/sequences.ts";
import { type ClaimPlan, planClaim } from "./claim-plan.ts";
import { isAnyDue } from "./lanes.ts";
import { touch } from "./queue.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** New lanes that get their first turn from one claim; the next claim goes on. */
const NEW_LANES_PER_CLAIM = 1000;

/**
 * Looks before it writes: many processes ask often, and mostly there is nothing to do. Claims of all processes raise one
 * sequence, so that each sees the earlier ones and none exceeds the caps.
 */
export async function claimPushDocuments(context: MongodbContext, options: Options): Promise<ClaimedPush[]> {
  const { connection } = context;
  const { served } = await connection.run(async () =>
    (await isAnyDue(context, new Date(options.now))) ? planClaim(context, options) : { served: [] },
  );
  if (served.length === 0) return [];
  const names = served.map(({ push }) => subscriptionName(push.subscription_id));
  return connection.write([sequenceName("push_turn"), ...new Set(names)], async (session) => {
    // One number for each push that may be served.
    const turn = (await raiseSequence(context, session, "push_turn", options.limit)) - options.limit;
    const plan = await planClaim(context, options, session);
    return plan.served.length === 0 ? [] : carryOut(context, session, plan, turn, options);
  });
}

/** Runs inside the transaction that made the plan. */
async function carryOut(
  context: MongodbContext,
  session: ClientSession,
  { served, newLanes }: ClaimPlan,
  turn: number,
  { now, leaseMs }: Options,
): Promise<ClaimedPush[]> {
  const { push_lanes, push_queue, pushes, subscriptions } = context.collections;
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

  // A served lane or subscription goes to the end; if it was served several times, the last one counts.
  const places = new Map<string, { due_at: Date; turn: number }>();
  const turns = new Map(newLanes.slice(0, NEW_LANES_PER_CLAIM).map((lane) => [lane._id, turn]));
  for (const [i, { lane, push, nextDueAt }] of served.entries()) {
    const due_at = nextDueAt === null || nextDueAt > leaseEnd ? leaseEnd : nextDueAt;
    places.set(push.subscription_id, { due_at, turn: turn + i + 1 });
    turns.set(lane._id, turn + i + 1);
  }
  const ids = [...places.keys()];
  await touch(context, session, ids);
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
  const owners = new Map(documents.map((document) => [document._id, subscriptionOfDocument(document)]));
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
