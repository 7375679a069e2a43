import { createHmac } from "node:crypto";
import { type Outbound, OutboundError } from "../../ports/outbound.ts";
import type { PushAttempt, StoredSubscription } from "../../ports/store/index.ts";
import { type DeliveryProblem, SUBSCRIPTION_HEADER } from "../events/names.ts";
import type { Secrets } from "../secrets.ts";

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

interface Message {
  /** Stays the same over retries; holds no dot. */
  id: string;
  body: string;
}

/** Headers of a signed message to a webhook: the Standard Webhooks ones and `X-Board-Signature`, with the same MACs. */
export function signedHeaders(
  row: StoredSubscription,
  secrets: Secrets,
  message: Message,
  now: number,
): Record<string, string> {
  const { macs, timestampS, headers } = signed(secretsOf(row, secrets, now), message, now);
  const hex = macs.map((mac) => `v1=${mac.toString("hex")}`).join(",");
  return { ...headers, "x-board-signature": `t=${timestampS},${hex}` };
}

/** The same for a webhook of MCP Events, which is told the subscription. */
export function hostHeaders(
  subscriptionId: string,
  secrets: readonly string[],
  message: Message,
  now: number,
): Record<string, string> {
  const { headers } = signed(secrets, message, now);
  return { ...headers, [SUBSCRIPTION_HEADER]: subscriptionId };
}

/**
 * Each MAC is HMAC-SHA256 with the secret's decoded bytes over `<id>.<timestamp>.<body>`; the timestamp is `now` in Unix
 * seconds.
 */
function signed(secrets: readonly string[], { id, body }: Message, now: number) {
  const timestampS = Math.floor(now / 1000);
  const macs = secrets.map((secret) =>
    createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
      .update(`${id}.${timestampS}.${body}`)
      .digest(),
  );
  const headers = {
    "content-type": "application/json",
    "user-agent": "agent-board/1",
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": macs.map((mac) => `v1,${mac.toString("base64")}`).join(" "),
  };
  return { macs, timestampS, headers };
}

/** The secrets of a host that sign now, the newest first; none when they cannot be read under this SECRET_KEY. */
export function hostSecretsOf(row: StoredSubscription, secrets: Secrets, now: number): string[] {
  const overlaps = (row.previousSecretUntil ?? 0) > now;
  const sealed = overlaps ? [row.clientSecret, row.previousClientSecret] : [row.clientSecret];
  return sealed.flatMap((text) => (text === null ? [] : (secrets.unseal(text, row.id) ?? [])));
}

/** The problem of an attempt; null for one that was delivered. */
export function problemOf({ status, error }: Pick<PushAttempt, "status" | "error">): DeliveryProblem | null {
  if (status !== null) {
    if (status >= 200 && status < 300) return null;
    return status >= 500 ? "http_5xx" : status >= 400 ? "http_4xx" : "challenge_failed";
  }
  if (/within|in time|TIMEOUT|TIMEDOUT/.test(error ?? "")) return "timeout";
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(error ?? "") ? "tls_error" : "connection_refused";
}

/** The secrets that sign for a subscription now, the newest first: two for a day after a rotation. */
function secretsOf(row: StoredSubscription, secrets: Secrets, now: number): string[] {
  const overlaps = (row.previousSecretUntil ?? 0) > now;
  const versions = overlaps ? [row.secretVersion, row.secretVersion - 1] : [row.secretVersion];
  return versions.map((version) => secrets.webhookSecret(row.id, version));
}
