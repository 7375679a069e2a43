import { randomInt } from "node:crypto";
import type { Document } from "mongodb";
import { Long } from "mongodb";

/**
 * A stamp says when work is due and which enqueueing or claim said so, in one number of 63 bits: 42 for the milliseconds
 * since 1970, 16 drawn at random, 5 for the claims since it was enqueued. So one short field of a document is its place in
 * the queue, its lease, its token and its count.
 */
const RANDOM_BITS = 16;
const CLAIM_BITS = 5;
const CLAIMS = 2 ** CLAIM_BITS;
const SHIFT = BigInt(RANDOM_BITS + CLAIM_BITS);

/** As the driver reads it: a small number comes as such. */
export type Stamp = Long | number;

/** Of something enqueued, never claimed; another for each call. */
export function stampAt(dueAt: number): Long {
  const random = BigInt(randomInt(2 ** RANDOM_BITS));
  return Long.fromBigInt((BigInt(dueAt) << SHIFT) | (random << BigInt(CLAIM_BITS)));
}

/** What all stamps due at `now` are less than. */
export const afterDue = (now: number): Long => Long.fromBigInt(BigInt(now + 1) << SHIFT);

export const claimsIn = (stamp: Stamp): number =>
  Long.fromString(String(stamp))
    .and(CLAIMS - 1)
    .toNumber();

/** Of a claim on something with the stamp `before`. */
export const claimedStamp = (claim: Long, before: Stamp): Long => claim.add(claimsIn(before) + 1);

/** The same as an expression over the field that holds `before`. */
export const claimedIn = (claim: Long, field: string): Document => ({
  $add: [claim, { $mod: [`$${field}`, CLAIMS] }, 1],
});

/** The same claims, due at another time. */
export const movedIn = (stamp: Long, field: string): Document => ({
  $add: [stamp, { $mod: [`$${field}`, CLAIMS] }],
});
