import type { PushAttempt, PushState, PushStore, StoredSubscription } from "../../ports/store/index.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

interface KeptPush {
  attempts: number;
  /** The redelivery that was requested during a claim is due then; null without one. */
  againAt: number | null;
}

interface PushChange {
  state: PushState;
  dueAt: number | null;
  attempts: number;
}

/** A claim counts the attempts this far: a redelivery starts from zero. */
export function attemptsBefore({ attempts, againAt }: KeptPush): number {
  return againAt === null ? attempts : 0;
}

/**
 * Tells what a push becomes when its claim is settled. A redelivery that was requested meanwhile follows, however the
 * attempt ended.
 *
 * @param attempt  null when none was made
 * @throws Error for an outcome that waits without a time, or is done and has one
 */
export function settledPush(push: KeptPush, attempt: PushAttempt | null, outcome: Outcome): PushChange {
  const { state, dueAt } = outcome;
  if ((dueAt !== null) !== (state === "waiting")) throw new Error("A push waits until a time, or is done.");
  if (push.againAt !== null) return { state: "waiting", dueAt: push.againAt, attempts: 0 };
  return { state, dueAt, attempts: push.attempts + (attempt === null ? 0 : 1) };
}

/** A delivery has ten attempts; a redelivery may add ten more. */
export const ATTEMPTS_KEPT = 20;

/** Gives a push's attempts, oldest first, once another was made; latencies in whole milliseconds. */
export function keptAttempts(history: readonly PushAttempt[], attempt: PushAttempt | null): PushAttempt[] {
  if (attempt === null) return [...history];
  return [...history, { ...attempt, latencyMs: Math.round(attempt.latencyMs) }].slice(-ATTEMPTS_KEPT);
}

/** Tells what a push becomes when its delivery is requested once more: due now, or as soon as the claim on it is settled. */
export function redeliveredPush(
  push: { token: string | null; dueAt: number | null; attempts: number } | null,
  now: number,
): PushChange & { againAt: number | null } {
  if (push === null || push.token === null)
    return { state: "waiting", dueAt: now, attempts: 0, againAt: null };
  return { state: "waiting", dueAt: push.dueAt, attempts: push.attempts, againAt: now };
}

/**
 * A claimed push moves to another board without its claim: it is due at once, or when its redelivery is.
 */
export function unclaimedPush(push: KeptPush & { matchedAt: number }): { dueAt: number; attempts: number } {
  return { dueAt: push.againAt ?? push.matchedAt, attempts: attemptsBefore(push) };
}

type Streak = Pick<StoredSubscription, "failures" | "failingSince" | "active" | "inactiveReason">;

/**
 * Tells what follows from a settled push for its subscription: a delivered one ends the streak of failures, a failed
 * attempt prolongs it. Nothing follows when the webhook is no longer the one that was claimed.
 */
export function settledSubscription(
  before: Streak & Pick<StoredSubscription, "webhookUrl">,
  claimed: Pick<StoredSubscription, "webhookUrl">,
  attempt: PushAttempt | null,
  { state, deactivate }: Outcome,
): Streak {
  const { webhookUrl, ...after } = before;
  if (webhookUrl !== claimed.webhookUrl) return after;
  if (state === "delivered") Object.assign(after, { failures: 0, failingSince: null });
  else if (attempt !== null) {
    after.failures += 1;
    after.failingSince ??= attempt.at;
  }
  if (deactivate !== null && after.active)
    Object.assign(after, { active: false, inactiveReason: deactivate });
  return after;
}
