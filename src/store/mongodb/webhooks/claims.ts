import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedPush, PushStore, StoredSubscription } from "../../../ports/store/index.ts";
import { groupedBy } from "../../rules/rows.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import { type PushDocument, timeOf } from "../schema/documents.ts";
import { subscriptionOfDocument } from "../schema/subscriptions.ts";
import type { MongodbContext } from "../server/context.ts";
import { type Write, writeEach } from "../server/write-all.ts";
import { claimedRevision } from "./ahead.ts";
import { type PlannedPush, planClaim } from "./claim-plan.ts";
import { LATEST, type Rounds } from "./lanes.ts";
import { type Claim, lookAgain, movesOf, type ServedPush, waitingIn } from "./moves.ts";
import { type Held, LEASE, release, takePlaces, tokenOf } from "./places.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** Plans that a claim makes while other processes are faster. */
const MOST_PLANS = 20;
const RETRY_MS = 10;

/**
 * A claim is three steps, none of them a transaction: the plan; its places at the origins, each taken only if no other
 * claim changed that origin since, while its pushes and their subscriptions are read; and the pushes, each only if it still
 * waits. So processes that claim at the same time lose single origins to each other and nothing else. A process that dies
 * in between leaves places that are free again when their lease ends, and a place in the queue that is too early, which the
 * next claim puts right.
 */
export async function claimPushDocuments(
  context: MongodbContext,
  { held, rounds }: { held: Held; rounds: Rounds },
  options: Options,
): Promise<ClaimedPush[]> {
  const claimed: ClaimedPush[] = [];
  let firsts = false;
  for (let plans = 0; plans < MOST_PLANS && claimed.length < options.limit; plans += 1) {
    const failing = options.failing - claimed.filter((push) => push.subscription.failures > 0).length;
    const left = { ...options, limit: options.limit - claimed.length, failing };
    const plan = await context.connection.run(() => planClaim(context, rounds, left, firsts));
    firsts = plan.hidden;
    if (plan.served.length === 0 && !plan.hidden) break;
    if (plan.served.length === 0) continue;
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
  const [owners, waiting, taken] = await Promise.all([
    ownersOf(context, planned),
    waitingIn(context, planned),
    takePlaces(context, planned, claim),
  ]);
  const { served, unused, writes, asPlanned } = movesOf(taken, waiting, owners, claim);
  const claims = claimsOf(served, claim);
  // A push whose match an election takes back must not go out, since its id would be given to another.
  const isCommitted = served.every(({ deliveryId }) => deliveryId !== null);
  const counts = await writeEach(
    context,
    [...claims, ...writes, ...unused.map((one) => release(one, claim))],
    isCommitted ? LEASE : undefined,
  );
  const won = counts.slice(0, claims.length).reduce((sum, count) => sum + count, 0);
  const got = won === served.length ? served : await claimedAmong(context, served, claim);
  const lost = served.filter((one) => !got.includes(one));
  await writeEach(
    context,
    lost.flatMap((one) => [
      release(one, claim),
      lookAgain({ _id: one.place._id, revision: claimedRevision(claim.token, one.place._id) }, claim.now),
    ]),
  );
  return {
    pushes: got.map((one) => claimedPush(held, one, claim)),
    asPlanned: asPlanned && taken.length === planned.length && lost.length === 0,
  };
}

async function ownersOf(
  { collections }: MongodbContext,
  planned: readonly PlannedPush[],
): Promise<Map<string, StoredSubscription>> {
  const ids = [...new Set(planned.map(({ place }) => place._id))];
  const documents = await collections.subscriptions.find({ _id: { $in: ids } }, LATEST).toArray();
  return new Map(documents.map((document) => [document._id, subscriptionOfDocument(document)]));
}

/** Claims pushes that still wait as they were read, together those that get the same token and have as many attempts. */
function claimsOf(served: readonly ServedPush[], claim: Claim): Write[] {
  const { now, leaseEnd: due_at } = claim;
  const alike = groupedBy(served, ({ slot, push }) => `${slot} ${push.attempts} ${push.again_at === null}`);
  return [...alike.values()].map((group): Write => {
    const [first] = group;
    const { attempts, again_at } = first.push;
    const again = again_at === null ? {} : { attempts: attemptsOf(first.push), again_at: null };
    return {
      to: "pushes",
      filter: {
        _id: { $in: group.map(({ push }) => push._id) },
        state: "waiting",
        due_at: { $lte: now },
        attempts,
        again_at: again_at === null ? null : { $ne: null },
      },
      update: { $set: { token: tokenOf(first, claim), due_at, ...again } },
      many: true,
    };
  });
}

const attemptsOf = (push: PushDocument) =>
  attemptsBefore({ attempts: push.attempts, againAt: timeOf(push.again_at) });

/** Those that this claim was first to take. */
async function claimedAmong(
  { collections }: MongodbContext,
  served: readonly ServedPush[],
  claim: Claim,
): Promise<ServedPush[]> {
  const ids = served.map(({ push }) => push._id);
  const tokens = [...new Set(served.map((one) => tokenOf(one, claim)))];
  const won = await collections.pushes
    .find({ _id: { $in: ids }, token: { $in: tokens } }, { ...LATEST, projection: { _id: 1 } })
    .toArray();
  const wonIds = new Set(won.map(({ _id }) => _id));
  return served.filter(({ push }) => wonIds.has(push._id));
}

function claimedPush(held: Held, one: ServedPush, claim: Claim): ClaimedPush {
  const { lane, push, subscription, last } = one;
  const claimed = {
    subscriptionId: push.subscription_id,
    deliveryId: push.delivery_id,
    postId: push.post_id,
    matchedAt: push.matched_at.getTime(),
    token: tokenOf(one, claim),
    attempts: attemptsOf(push),
    subscription,
  };
  const revision = last ? claimedRevision(claim.token, push.subscription_id) : null;
  held.add(claimed, { origin: lane.origin, last: revision });
  return claimed;
}
