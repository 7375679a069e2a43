import type { ClaimedPush } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { groupedBy } from "../../rules/rows.ts";
import type { MongodbContext } from "../server/context.ts";
import { type Write, writeEach } from "../server/write-all.ts";
import type { PlannedPush } from "./claim-plan.ts";
import { LATEST } from "./lanes.ts";
import type { Claim } from "./moves.ts";

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
    const { webhookUrl } = push.subscription;
    const origin = webhookUrl === null ? "" : webhookOrigin(webhookUrl);
    return this.#places.get(push) ?? { origin, last: null };
  }

  /** Frees the place of a claim at its origin. */
  release(push: ClaimedPush): Write {
    return releaseAt(this.of(push).origin, push.token);
  }
}

/** A claim is a lease: if an election takes it back, its push is due again, and goes out once more under the same id. */
export const LEASE = { w: 1 } as const;

/** How many of these pushes have these tokens now, whether a majority knows it or not. Asks outside of transactions. */
export const claimedNow = (
  { collections }: MongodbContext,
  claimed: readonly { _id: string; token: string }[],
): Promise<number> => collections.pushes.countDocuments({ $or: [...claimed] }, LATEST);

/** The token of a claimed push, another for each that one claim takes at an origin. */
export const tokenOf = ({ slot }: Pick<PlannedPush, "slot">, { token }: Claim): string => `${token}:${slot}`;

/** Frees the place of a planned push. */
export const release = (one: PlannedPush, claim: Claim): Write =>
  releaseAt(one.lane.origin, tokenOf(one, claim));

const releaseAt = (origin: string, token: string): Write => ({
  to: "push_origins",
  filter: { _id: origin },
  update: { $pull: { held: { token } } },
});

/** Resolves to what is planned at origins that no other claim has changed since the plan. */
export async function takePlaces(
  context: MongodbContext,
  planned: readonly PlannedPush[],
  claim: Claim,
): Promise<PlannedPush[]> {
  const origins = [...groupedBy(planned, ({ lane }) => lane.origin)].map(([origin, ofOrigin]) => {
    const before = ofOrigin[0].lane.claim;
    // The name of a claim at an origin ends with it, but for those of an older release.
    return { origin, before, n: ofOrigin.length, isNamed: before?.endsWith(`:${origin}`) === true };
  });
  const alike = [
    ...groupedBy(origins, ({ n, isNamed, origin }) => (isNamed ? `${n}` : `${n} ${origin}`)).values(),
  ];
  const counts = await writeEach(
    context,
    alike.map((group): Write => {
      const [{ origin, before, n, isNamed }] = group;
      const update = taken(n, claim);
      if (!isNamed)
        return { to: "push_origins", filter: { _id: origin, claim: before }, update, upsert: true };
      const filter = {
        _id: { $in: group.map((one) => one.origin) },
        claim: { $in: group.map((one) => one.before) },
      };
      return { to: "push_origins", filter, update, many: true };
    }),
    LEASE,
  );
  const won = new Set<string>();
  const unsure: string[] = [];
  for (const [i, group] of alike.entries()) {
    const names = group.map(({ origin }) => origin);
    if (counts[i] === group.length) for (const name of names) won.add(name);
    else if (counts[i] !== 0) unsure.push(...names);
  }
  if (unsure.length > 0) {
    const names = unsure.map((origin) => `${claim.token}:${origin}`);
    const found = context.collections.push_origins.find(
      { _id: { $in: unsure }, claim: { $in: names } },
      { ...LATEST, projection: { _id: 1 } },
    );
    for (const { _id } of await found.toArray()) won.add(_id);
  }
  return planned.filter(({ lane }) => won.has(lane.origin));
}

/** The update of an origin at which a claim takes `n` places; those whose lease has ended go. */
function taken(n: number, claim: Claim) {
  const { token, now, leaseEnd: until } = claim;
  const live = { $filter: { input: { $ifNull: ["$held", []] }, cond: { $gt: ["$$this.until", now] } } };
  const held = Array.from({ length: n }, (_, slot) => ({
    token: tokenOf({ slot }, claim),
    until,
  }));
  return [
    {
      $set: {
        claim: { $concat: [`${token}:`, "$_id"] },
        served_at: now,
        held: { $concatArrays: [live, held] },
      },
    },
  ];
}
