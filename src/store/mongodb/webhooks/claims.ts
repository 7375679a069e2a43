import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedPush, PushStore, StoredSubscription } from "../../../ports/store/index.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import { type PushDocument, timeOf } from "../schema/documents.ts";
import { subscriptionOfDocument } from "../schema/subscriptions.ts";
import type { MongodbContext } from "../server/context.ts";
import { type Write, writeEach } from "../server/write-all.ts";
import { type ClaimPlan, type PlannedPush, planClaim } from "./claim-plan.ts";
import type { DuePlace, Rounds } from "./lanes.ts";
import { type Held, release } from "./places.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** Plans that a claim makes while other processes are faster. */
const MOST_PLANS = 20;
const RETRY_MS = 10;

/**
 * A claim is three commands, none of them a transaction: the plan; its places at the origins, each taken only if no other
 * claim changed that origin since; and the pushes, each only if it is as the plan saw it. So processes that claim at the
 * same time lose single origins to each other and nothing else. A process that dies in between leaves places that are free
 * again when their lease ends, and a place in the queue that is too early, which the next claim puts right.
 */
export async function claimPushDocuments(
  context: MongodbContext,
  { held, rounds }: { held: Held; rounds: Rounds },
  options: Options,
): Promise<ClaimedPush[]> {
  const claimed: ClaimedPush[] = [];
  for (let plans = 0; plans < MOST_PLANS && claimed.length < options.limit; plans += 1) {
    const failing = options.failing - claimed.filter((push) => push.subscription.failures > 0).length;
    const left = { ...options, limit: options.limit - claimed.length, failing };
    const plan = await context.connection.run(() => planClaim(context, rounds, left));
    if (plan.served.length === 0 && plan.early.length === 0) break;
    const got = await context.connection.run(() => carryOut(context, held, plan, left));
    claimed.push(...got);
    if (got.length === plan.served.length && plan.early.length === 0) break;
    if (got.length === 0 && plan.early.length === 0) await sleep(Math.random() * RETRY_MS);
  }
  return claimed;
}

async function carryOut(
  context: MongodbContext,
  held: Held,
  plan: ClaimPlan,
  options: Options,
): Promise<ClaimedPush[]> {
  const token = randomUUID();
  const [taken, owners] = await Promise.all([
    takePlaces(context, plan, token, options),
    ownersOf(context, plan.served),
  ]);
  // One that is gone takes its pushes with it.
  const [served, ownerless] = partition(taken, ({ push }) => owners.has(push.subscription_id));
  const leaseEnd = new Date(options.now + options.leaseMs);
  const places = placesAfter(served, plan.turn, leaseEnd);
  const moves = [...places].map(([place, { dueAt, turn }]) => moved(place, dueAt, turn, token));
  const early = plan.early.map((place) => moved(place, place.pushes[0]?.due_at ?? null, place.turn, token));
  const results = await writeEach(context, [
    ...served.map(({ lane, push }) => claimOf(push, { token, leaseEnd, origin: lane.origin })),
    ...moves,
    ...early,
  ]);
  const movedPlaces = new Set([...places.keys()].filter((_, i) => results[served.length + i]));
  const claimed: ClaimedPush[] = [];
  const lost = [...ownerless];
  for (const [i, planned] of served.entries()) {
    const { lane, place, push, nextDueAt } = planned;
    const subscription = owners.get(push.subscription_id);
    if (results[i] !== true || subscription === undefined) {
      lost.push(planned);
      continue;
    }
    const one = {
      subscriptionId: push.subscription_id,
      deliveryId: push.delivery_id,
      postId: push.post_id,
      matchedAt: push.matched_at.getTime(),
      token,
      attempts: attemptsOf(push),
      subscription,
    };
    const last = nextDueAt === null && places.get(place)?.pushes === 1 && movedPlaces.has(place);
    held.add(one, { origin: lane.origin, last: last ? token : null });
    claimed.push(one);
  }
  await writeEach(
    context,
    lost.map(({ lane, push }) => release({ origin: lane.origin, push: push._id, token })),
  );
  return claimed;
}

async function ownersOf(
  { collections }: MongodbContext,
  served: readonly PlannedPush[],
): Promise<Map<string, StoredSubscription>> {
  const ids = [...new Set(served.map(({ push }) => push.subscription_id))];
  if (ids.length === 0) return new Map();
  const documents = await collections.subscriptions.find({ _id: { $in: ids } }).toArray();
  return new Map(documents.map((document) => [document._id, subscriptionOfDocument(document)]));
}

const partition = <T>(all: readonly T[], passes: (one: T) => boolean): [T[], T[]] => [
  all.filter(passes),
  all.filter((one) => !passes(one)),
];

/** Resolves to what is served at origins that no other claim has changed since the plan. */
async function takePlaces(
  context: MongodbContext,
  { served, turn }: ClaimPlan,
  token: string,
  { now, leaseMs, perOrigin }: Options,
): Promise<PlannedPush[]> {
  const until = new Date(now + leaseMs);
  const byOrigin = new Map<string, { claim: string | null; turns: object; held: object[] }>();
  for (const [i, { lane, push }] of served.entries()) {
    const { turns = {}, held = [] } = byOrigin.get(lane.origin) ?? {};
    byOrigin.set(lane.origin, {
      claim: lane.claim,
      turns: { ...turns, [lane.failing ? "failing_turn" : "turn"]: turn + i },
      held: [...held, { push: push._id, token, until }],
    });
  }
  const writes = [...byOrigin].map(([_id, { claim, turns, held }]): Write => {
    const $set = { claim: token, served_at: new Date(now), ...turns };
    // The leases that ended longest ago go; live ones and these are never more than `perOrigin`.
    const $push = { held: { $each: held, $sort: { until: 1 }, $slice: -perOrigin } };
    return { to: "push_origins", filter: { _id, claim }, update: { $set, $push }, upsert: true };
  });
  // The pushes are written afterwards, and acknowledged by a majority only together with this.
  const taken = await writeEach(context, writes, { w: 1 });
  const won = new Set([...byOrigin.keys()].filter((_, i) => taken[i]));
  return served.filter(({ lane }) => won.has(lane.origin));
}

/** Where each place goes: to the end, due with its next push; if it was served several times, the last one counts. */
function placesAfter(
  served: readonly PlannedPush[],
  turn: number,
  leaseEnd: Date,
): Map<DuePlace, { dueAt: Date; turn: number; pushes: number }> {
  const places = new Map<DuePlace, { dueAt: Date; turn: number; pushes: number }>();
  for (const [i, { place, nextDueAt }] of served.entries()) {
    const dueAt = nextDueAt === null || nextDueAt > leaseEnd ? leaseEnd : nextDueAt;
    places.set(place, { dueAt, turn: turn + i, pushes: 1 + (places.get(place)?.pushes ?? 0) });
  }
  return places;
}

const attemptsOf = (push: PushDocument) =>
  attemptsBefore({ attempts: push.attempts, againAt: timeOf(push.again_at) });

const claimOf = (push: PushDocument, claim: { token: string; leaseEnd: Date; origin: string }): Write => ({
  to: "pushes",
  filter: {
    _id: push._id,
    state: "waiting",
    token: push.token,
    due_at: push.due_at,
    again_at: push.again_at,
  },
  update: {
    $set: {
      token: claim.token,
      due_at: claim.leaseEnd,
      claimed_origin: claim.origin,
      attempts: attemptsOf(push),
      again_at: null,
    },
  },
});

/** Moves a place unless it has changed since; removes it when nothing waits any more. */
function moved({ _id, revision }: DuePlace, dueAt: Date | null, turn: number, token: string): Write {
  const filter = { _id, revision: revision ?? null };
  if (dueAt === null) return { to: "push_queue", remove: filter };
  return { to: "push_queue", filter, update: { $set: { due_at: dueAt, turn, revision: token } } };
}
