import { createHmac } from "node:crypto";
import { type Outbound, OutboundError } from "../../ports/outbound.ts";
import type { PushAttempt, StoredSubscription } from "../../ports/store/index.ts";
import { type DeliveryProblem, SUBSCRIPTION_HEADER } from "../events/names.ts";
import type { Secrets } from "../secrets.ts";

/** A receiver may take this long, and answer this much: more is a failure, whatever the status. */
const BOUNDS = { timeoutMs: 10_000, maxBytes: 64 * 1024 } as const;

export interface CallResult {
  attempt: PushAttempt;
  /** The answer had this `Retry-After`, as it was sent. */
  retryAfter: string | null;
  /** The text is empty when no answer came. */
  answered: string;
}

/**
 * Posts a signed message. Never throws for what the receiver did: that is in the result.
 * @param keys  its secrets, as `keysOf` gives them; the newest first
 */
export async function callWebhook(
  outbound: Outbound,
  to: Signed & { url: string },
  keys: readonly string[],
  message: Message,
  now: number,
  bounds: { maxBytes: number } = BOUNDS,
): Promise<CallResult> {
  const [headers, { body }] = [signedHeaders(to, keys, message, now), message];
  const began = performance.now();
  const attempt = (status: number | null, error: string | null): PushAttempt => ({
    at: now,
    latencyMs: Math.round(performance.now() - began),
    status,
    error,
  });
  try {
    const answer = await outbound.send({
      method: "POST",
      url: to.url,
      headers,
      body,
      ...BOUNDS,
      ...bounds,
    });
    const retryAfter = answer.headers["retry-after"];
    return {
      attempt: attempt(answer.status, null),
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
      answered: answer.body.toString("utf8"),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const why = error.reason === "blocked" ? `Blocked: ${error.message}` : error.message;
    return { attempt: attempt(null, why), retryAfter: null, answered: "" };
  }
}

/** True for the only answers that count as delivered. */
export const isDelivered = ({ status }: Pick<PushAttempt, "status">) =>
  status !== null && status >= 200 && status < 300;

export interface Message {
  /** It stays the same over retries, and holds no dot. */
  id: string;
  body: string;
}

type Signed = Pick<StoredSubscription, "id" | "event">;

/**
 * Makes the headers of a signed message to a webhook: those of Standard Webhooks, and either `X-Board-Signature` with the
 * same MACs or, for a host of MCP Events, the subscription. Each MAC is HMAC-SHA256 with the secret's decoded bytes over
 * `<id>.<timestamp>.<body>`; the timestamp is `now` in Unix seconds.
 */
function signedHeaders(to: Signed, keys: readonly string[], { id, body }: Message, now: number) {
  const timestampS = Math.floor(now / 1000);
  const macs = keys.map((secret) =>
    createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
      .update(`${id}.${timestampS}.${body}`)
      .digest(),
  );
  const hex = macs.map((mac) => `v1=${mac.toString("hex")}`).join(",");
  return {
    "content-type": "application/json",
    "user-agent": "agent-board/1",
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": macs.map((mac) => `v1,${mac.toString("base64")}`).join(" "),
    ...(to.event === null
      ? { "x-board-signature": `t=${timestampS},${hex}` }
      : { [SUBSCRIPTION_HEADER]: to.id }),
  };
}

/**
 * Lists the secrets that sign for a subscription now, the newest first: two for a while after a rotation. None when those
 * that its host chose cannot be read under this SECRET_KEY.
 */
export function keysOf(row: StoredSubscription, secrets: Secrets, now: number): string[] {
  const count = (row.previousSecretUntil ?? 0) > now ? 2 : 1;
  if (row.event === null) {
    const versions = [row.secretVersion, row.secretVersion - 1].slice(0, count);
    return versions.map((version) => secrets.webhookSecret(row.id, version));
  }
  const sealed = [row.clientSecret, row.previousClientSecret].slice(0, count);
  return sealed.flatMap((text) => secrets.unseal(text ?? "", row.id) ?? []);
}

/** Names the problem of an attempt; null for one that was delivered. */
export function problemOf({ status, error }: Pick<PushAttempt, "status" | "error">): DeliveryProblem | null {
  if (status !== null) {
    if (isDelivered({ status })) return null;
    return status >= 500 ? "http_5xx" : status >= 400 ? "http_4xx" : "challenge_failed";
  }
  if (/within|in time|TIMEOUT|TIMEDOUT/.test(error ?? "")) return "timeout";
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(error ?? "") ? "tls_error" : "connection_refused";
}
