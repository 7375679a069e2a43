import { type Outbound, OutboundError } from "../../ports/outbound.ts";
import type { PushAttempt } from "../../ports/store/index.ts";

/** How long a receiver may take, and how much it may answer: more is a failure, whatever the status. */
const BOUNDS = { timeoutMs: 10_000, maxBytes: 64 * 1024 } as const;

/** The result of a message to a webhook. */
export interface CallResult extends PushAttempt {
  /** The answer's `Retry-After`, as it was sent. */
  retryAfter: string | null;
}

/**
 * Posts a signed message. Never throws for what the receiver did: that is in the result.
 * @param headers  as `signedHeaders` makes them for this very body
 */
export async function callWebhook(
  outbound: Outbound,
  url: string,
  headers: Record<string, string>,
  body: string,
  now: number,
): Promise<CallResult> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  try {
    const answer = await outbound.send({ method: "POST", url, headers, body, ...BOUNDS });
    const retryAfter = answer.headers["retry-after"];
    return {
      at: now,
      latencyMs: latencyMs(),
      status: answer.status,
      error: null,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const why = error.reason === "blocked" ? `Blocked: ${error.message}` : error.message;
    return { at: now, latencyMs: latencyMs(), status: null, error: why, retryAfter: null };
  }
}

/** True for the only answers that count as delivered. */
export const isDelivered = ({ status }: PushAttempt) => status !== null && status >= 200 && status < 300;
