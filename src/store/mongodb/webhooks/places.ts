import type { Document } from "mongodb";
import type { ClaimedPush } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { groupedBy } from "../../rules/rows.ts";
import { pushId } from "../schema/pushes.ts";
import type { MongodbContext } from "../server/context.ts";
import type { Write } from "../server/write-all.ts";
import type { PlannedPush } from "./claim-plan.ts";
import { LATEST } from "./lanes.ts";

/** A claim under way. */
export interface Claim {
  token: string;
  now: Date;
  leaseEnd: Date;
}

interface HeldPlace {
  /** Where the push was claimed for. */
  origin: string;
  /** Revision of the subscription's place in the queue if no other push waited in it, else null. */
  last: string | null;
}

/** What this process remembers of its claims. */
export class Held {
  readonly #places = new WeakMap<ClaimedPush, HeldPlace>();

  add(push: ClaimedPush, place: HeldPlace): void {
    this.#places.set(push, place);
  }

  of(push: ClaimedPush): HeldPlace {
    const { webhookUrl } = push.receiver;
    const origin = webhookUrl === null ? "" : webhookOrigin(webhookUrl);
    return this.#places.get(push) ?? { origin, last: null };
  }

  /** Frees the place of a claimed push at its origin. */
  release(push: ClaimedPush): Write {
    return releaseAt(this.of(push).origin, push.token);
  }
}

/** A claim is a lease: if an election takes it back, its push is due again, and goes out once more under the same id. */
export const LEASE = { w: 1 } as const;

/** Finds a push while it is claimed by this claim. */
export const asClaimed = ({ subscriptionId, deliveryId, token }: ClaimedPush) => ({
  _id: pushId(subscriptionId, deliveryId),
  token: token.slice(0, token.lastIndexOf(SLOT)),
});

/** How many of these pushes are claimed by these claims now, whether a majority knows it or not. Asks outside of transactions. */
export const claimedNow = (
  { collections }: MongodbContext,
  claimed: readonly ReturnType<typeof asClaimed>[],
): Promise<number> => collections.pushes.countDocuments({ $or: [...claimed] }, LATEST);

const SLOT = ":";

/**
 * The token of a claimed push, another for each that one claim takes at an origin. Its place there has this token, and the
 * push that of the claim, so that one statement claims them all.
 */
export const tokenOf = ({ slot }: Pick<PlannedPush, "slot">, { token }: Claim): string =>
  `${token}${SLOT}${slot}`;

/** Frees the place of a planned push. */
export const release = (one: PlannedPush, claim: Claim): Write =>
  releaseAt(one.lane.origin, tokenOf(one, claim));

const releaseAt = (origin: string, token: string): Write => ({
  to: "push_origins",
  filter: { _id: origin },
  update: { $pull: { held: { token } } },
});

/**
 * Takes what is planned at origins that no other claim has changed since the plan.
 * @param all  the write of one that was changed fails, and no later one of `writeInOrder` is made
 */
export function taking(planned: readonly PlannedPush[], claim: Claim, all: boolean): Write[] {
  const origins = [...groupedBy(planned, ({ lane }) => lane.origin)].map(([origin, ofOrigin]) => {
    const before = ofOrigin[0].lane.claim;
    // The name of a claim at an origin ends with it, but for those of an older release.
    return { origin, before, n: ofOrigin.length, isNamed: before?.endsWith(`:${origin}`) === true };
  });
  const alike = groupedBy(origins, ({ n, isNamed, origin }) => (isNamed ? `${n}` : `${n} ${origin}`));
  return [...alike.values()].map((group): Write => {
    const [{ origin, before, n, isNamed }] = group;
    // An upsert that finds another claim there fails because of its id.
    const name = { $concat: [`${claim.token}:`, "$_id"] };
    if (!isNamed) {
      const filter = { _id: origin, claim: before };
      return { to: "push_origins", filter, update: taken(n, claim, name), upsert: true };
    }
    const ids = { $in: group.map((one) => one.origin) };
    const befores = group.map((one) => one.before);
    if (!all) {
      const filter = { _id: ids, claim: { $in: befores } };
      return { to: "push_origins", filter, update: taken(n, claim, name), many: true };
    }
    // No origin is a number.
    const nameOrFail = { $cond: [{ $in: ["$claim", befores] }, name, { $toInt: "$_id" }] };
    return {
      to: "push_origins",
      filter: { _id: ids },
      update: taken(n, claim, nameOrFail),
      many: true,
    };
  });
}

/** Resolves to what is planned at origins that this claim has taken. */
export async function takenAmong(
  { collections }: MongodbContext,
  planned: readonly PlannedPush[],
  claim: Claim,
): Promise<PlannedPush[]> {
  const origins = [...new Set(planned.map(({ lane }) => lane.origin))];
  // Another claim may have given an origin its own name since, and left the places.
  const first = tokenOf({ slot: 0 }, claim);
  const found = await collections.push_origins
    .find({ _id: { $in: origins }, "held.token": first }, { ...LATEST, projection: { _id: 1 } })
    .toArray();
  const won = new Set(found.map(({ _id }) => _id));
  return planned.filter(({ lane }) => won.has(lane.origin));
}

/** The update of an origin at which a claim takes `n` places; those whose lease has ended go. */
function taken(n: number, claim: Claim, name: Document): Document[] {
  const { now, leaseEnd: until } = claim;
  const live = { $filter: { input: { $ifNull: ["$held", []] }, cond: { $gt: ["$$this.until", now] } } };
  const held = Array.from({ length: n }, (_, slot) => ({ token: tokenOf({ slot }, claim), until }));
  return [{ $set: { claim: name, served_at: now, held: { $concatArrays: [live, held] } } }];
}
