import type { PushStore } from "../../ports/store/index.ts";
import { DAY_MS, SECOND_MS } from "../time.ts";
import { type CallResult, isDelivered } from "./request.ts";

export type PushOutcome = Parameters<PushStore["settle"]>[2];

/**
 * Waits between the ten attempts, in seconds: 5 s, 5 min, 30 min, then 2, 5, 10, 14, 20 and 24 h, 75 h 35 min in all.
 * From the table of the Standard Webhooks specification 1.0.
 */
const WAITS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** A wait is longer or shorter by up to this share, so that what failed together does not return together. */
const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = DAY_MS;
/** After this long with nothing but failures, a webhook is given up. */
const FAILING_MAX_MS = 5 * DAY_MS;

/**
 * What follows from an attempt: delivered, another one later, or the end; and whether the webhook is given up.
 *
 * @param before.attempts  those before this one
 * @param before.failingSince  since when nothing but failures came from the webhook, null for no failure
 * @param now  when the attempt ended
 * @param random  in 0…1, for the jitter
 */
export function outcomeOf(
  called: CallResult,
  before: { attempts: number; failingSince: number | null },
  now: number,
  random: number,
): PushOutcome {
  if (isDelivered(called)) return { state: "delivered", dueAt: null, deactivate: null };
  if (called.status === 410) return { state: "failed", dueAt: null, deactivate: "webhook_gone" };
  const { attempts, failingSince } = before;
  const givenUp = failingSince !== null && now - failingSince >= FAILING_MAX_MS;
  const deactivate = givenUp ? "webhook_failing" : null;
  const waitS = WAITS_S[attempts];
  if (waitS === undefined) return { state: "failed", dueAt: null, deactivate };
  const jittered = waitS * SECOND_MS * (1 + JITTER * (2 * random - 1));
  const asked = Math.min(retryAfterMs(called.retryAfter, now), RETRY_AFTER_MAX_MS);
  return { state: "waiting", dueAt: now + Math.round(Math.max(jittered, asked)), deactivate };
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds from now: whole seconds or a date; 0 for anything else. */
function retryAfterMs(header: string | null, now: number): number {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Z][a-z]{2}, .+ GMT$/.test(text)) return 0;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at - now;
}
