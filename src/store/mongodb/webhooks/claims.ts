import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import { timeOf } from "../schema/documents.ts";
import { pushId } from "../schema/pushes.ts";
import type { MongodbContext } from "../server/context.ts";
import { type Write, writeEach, writeInOrder } from "../server/write-all.ts";
import { claimedRevision } from "./ahead.ts";
import { type PlannedPush, planClaim } from "./claim-plan.ts";
import { LATEST, type Rounds } from "./lanes.ts";
import {
  areAllListed,
  listedPushes,
  movesOf,
  movesOfListed,
  type ServedPush,
  type TriedPush,
  undone,
  waitingIn,
} from "./moves.ts";
import { type Claim, type Held, LEASE, release, takenAmong, taking, tokenOf } from "./places.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** Plans that a claim makes while other processes are faster. */
const MOST_PLANS = 20;
const RETRY_MS = 10;

/**
 * A claim is two steps, none of them a transaction: the plan; and one command that takes its places at the origins, each
 * only if no other claim changed that origin since, then claims its pushes, each only if it still waits, and moves their
 * places in the queue. The pushes are read at the same time. A third step claims pushes that had to be looked for. So
 * processes that claim at the same time lose single origins to each other and nothing else. A process that dies in between
 * leaves places that are free again when their lease ends, and a place in the queue that is too early, which the next claim
 * puts right.
 */
export async function claimPushDocuments(
  context: MongodbContext,
  { held, rounds }: { held: Held; rounds: Rounds },
  options: Options,
): Promise<ClaimedPush[]> {
  const claimed: ClaimedPush[] = [];
  for (let plans = 0; plans < MOST_PLANS && claimed.length < options.limit; plans += 1) {
    const failing = options.failing - claimed.filter(({ receiver }) => receiver.failing).length;
    const left = { ...options, limit: options.limit - claimed.length, failing };
    const plan = await context.connection.run(() => planClaim(context, rounds, left));
    if (plan.served.length === 0) break;
    const got = await context.connection.run(() => carryOut(context, held, plan.served, left));
    claimed.push(...got.pushes);
    if (plan.all && got.asPlanned) break;
    if (got.pushes.length === 0) await sleep(Math.random() * RETRY_MS);
  }
  return claimed;
}

/** @returns `asPlanned`: all was claimed, and nothing else is due in the places that were served */
async function carryOut(
  context: MongodbContext,
  held: Held,
  planned: readonly PlannedPush[],
  options: Options,
): Promise<{ pushes: ClaimedPush[]; asPlanned: boolean }> {
  const { now, leaseMs } = options;
  const claim = { token: randomUUID(), now: new Date(now), leaseEnd: new Date(now + leaseMs) };
  const [{ taken, isMoved, claimed: ofListed }, waiting] = await bothOrNone(
    takeAndClaim(context, planned, claim),
    waitingIn(context, planned),
    () => writeEach(context, undone(planned, claim)),
  );
  const listed = listedPushes(taken.filter(isListed), waiting, claim);
  const { served, unused, writes } = movesOf(taken.filter(isUnlisted), waiting, claim);
  const claims = claimsOf(served.map(idOf), claim);
  // These were read with what no majority has yet.
  const looked = await writeEach(context, [
    ...claims,
    ...writes,
    ...unused.map((one) => release(one, claim)),
  ]);
  const claimed = ofListed + (claims.length > 0 ? (looked[0] ?? 0) : 0);

  const tried = [...listed, ...served];
  const isSure = isMoved && claimed === tried.length;
  const got = isSure && tried.every(isRead) ? tried : await claimedAmong(context, tried, claim);
  const won = new Set(got.map(({ push }) => push._id));
  const lost = tried.filter((one) => !won.has(idOf(one)));
  await writeEach(context, undone(lost, claim));
  return {
    pushes: got.map((one) => claimedPush(held, one, claim)),
    asPlanned: got.length === planned.length && listed.length === planned.length && areAllListed(planned),
  };
}

const isListed = ({ deliveryId }: PlannedPush) => deliveryId !== null;
const isUnlisted = ({ deliveryId }: PlannedPush) => deliveryId === null;
const isRead = (one: TriedPush): one is ServedPush => one.push !== undefined;
const idOf = ({ place, deliveryId, push }: PlannedPush & Partial<TriedPush>) =>
  push?._id ?? pushId(place._id, deliveryId ?? 0);

/**
 * Takes places at origins and claims the pushes that their places in the queue list.
 * @returns `taken`: what is planned at origins that were won; `claimed`: so many pushes; `isMoved`: each place was as planned
 */
async function takeAndClaim(context: MongodbContext, planned: readonly PlannedPush[], claim: Claim) {
  const takes = taking(planned, claim, true);
  const writes = listedWrites(planned, claim);
  let counts = await writeInOrder(context, [...takes, ...writes], LEASE);
  if (counts.length >= takes.length)
    return { taken: planned, ...outcomeOf(planned, counts.slice(takes.length)) };
  await writeEach(context, taking(planned, claim, false), LEASE);
  const taken = await takenAmong(context, planned, claim);
  counts = await writeInOrder(context, listedWrites(taken, claim), LEASE);
  return { taken, ...outcomeOf(taken, counts) };
}

/** Claims those pushes that their places list, and moves these. */
function listedWrites(planned: readonly PlannedPush[], claim: Claim): Write[] {
  const listed = planned.filter(isListed);
  return [...claimsOf(listed.map(idOf), claim), ...movesOfListed(listed, claim)];
}

/** @param counts  of `listedWrites` */
function outcomeOf(planned: readonly PlannedPush[], [claimed = 0, ...moved]: number[]) {
  const places = new Set(planned.filter(isListed).map(({ place }) => place._id));
  return { claimed, isMoved: moved.reduce((sum, count) => sum + count, 0) === places.size };
}

/**
 * Both results, once both are there.
 * @param undo  runs when the second failed after the first was written
 * @throws what either of them throws
 */
async function bothOrNone<Written, Read>(
  writing: Promise<Written>,
  reading: Promise<Read>,
  undo: () => Promise<unknown>,
): Promise<[Written, Read]> {
  const [written, read] = await Promise.allSettled([writing, reading]);
  if (written.status === "rejected") throw written.reason;
  if (read.status === "fulfilled") return [written.value, read.value];
  await undo();
  throw read.reason;
}

/** Claims pushes that still wait, by one write; none where there are none. */
function claimsOf(ids: readonly string[], { token, now, leaseEnd: due_at }: Claim): Write[] {
  if (ids.length === 0) return [];
  const attempts = { $cond: [{ $gt: ["$again_at", null] }, 0, "$attempts"] };
  return [
    {
      to: "pushes",
      filter: { _id: { $in: ids }, state: "waiting", due_at: { $lte: now } },
      update: [{ $set: { token, due_at, attempts, again_at: null } }],
      many: true,
    },
  ];
}

/** Those that this claim was first to take, once a majority has their matches. */
async function claimedAmong(
  { collections: { pushes } }: MongodbContext,
  tried: readonly TriedPush[],
  { token }: Claim,
): Promise<ServedPush[]> {
  const claimed = { _id: { $in: tried.map(idOf) }, token };
  // Changes nothing. A majority has the match once it has a later write: an election must not take it back when its push
  // has gone out, since its number would be given to another.
  await pushes.updateMany(claimed, { $set: { token } });
  const found = await pushes.find(claimed, LATEST).toArray();
  const won = new Map(found.map((push) => [push._id, push]));
  return tried.flatMap((one) => {
    const push = won.get(idOf(one));
    return push === undefined ? [] : [{ ...one, push }];
  });
}

function claimedPush(held: Held, one: ServedPush, claim: Claim): ClaimedPush {
  const { lane, push, receiver, last } = one;
  const claimed = {
    subscriptionId: push.subscription_id,
    deliveryId: push.delivery_id,
    postId: push.post_id,
    matchedAt: push.matched_at.getTime(),
    token: tokenOf(one, claim),
    attempts: attemptsBefore({ attempts: push.attempts, againAt: timeOf(push.again_at) }),
    receiver: {
      publisherId: receiver.publisher_id,
      webhookUrl: receiver.webhook_url,
      failing: lane.failing,
    },
  };
  const revision = last ? claimedRevision(claim.token, push.subscription_id) : null;
  held.add(claimed, { origin: lane.origin, last: revision });
  return claimed;
}
