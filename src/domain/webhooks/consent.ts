import { timingSafeEqual } from "node:crypto";
import { type Outbound, OutboundError } from "../../ports/outbound.ts";
import type { StoredSubscription } from "../../ports/store.ts";
import { newToken, type Secrets } from "../secrets.ts";
import { secretsOf, signedHeaders } from "../webhook-signature.ts";
import { isoTime } from "../wire.ts";
import type { HourlyCalls } from "./hourly.ts";

const CHALLENGE = { ttlMs: 10 * 60_000, timeoutMs: 10_000, maxBytes: 4 * 1024 } as const;

/** Asks the owner of a webhook whether it wants to be called: the only thing ever sent to a URL that has not said yes. */
export class Consent {
  readonly #outbound: Outbound;
  readonly #secrets: Secrets;
  readonly #hourly: HourlyCalls;

  constructor(parts: { outbound: Outbound; secrets: Secrets; hourly: HourlyCalls }) {
    this.#outbound = parts.outbound;
    this.#secrets = parts.secrets;
    this.#hourly = parts.hourly;
  }

  /**
   * Posts a signed challenge. Consent is a 200 whose body is exactly the challenge, or a JSON object with it as its only
   * member: a server that reflects what it is sent does not consent.
   *
   * @throws BoardError `rate_limited`
   */
  async ask(row: StoredSubscription, url: string, now: number): Promise<boolean> {
    await this.#hourly.take(row, url, now);
    const challenge = newToken() + newToken();
    const body = JSON.stringify({
      type: "webhook.challenge",
      subscription_id: row.id,
      challenge,
      expires_at: isoTime(now + CHALLENGE.ttlMs),
    });
    const id = `msg_${row.id}_challenge_${newToken()}`;
    const secrets = secretsOf(row, this.#secrets, now);
    const headers = signedHeaders(secrets, id, Math.floor(now / 1000), body);
    try {
      const answer = await this.#outbound.send({ method: "POST", url, headers, body, ...CHALLENGE });
      return answer.status === 200 && consents(answer.body.toString("utf8"), challenge);
    } catch (error) {
      if (error instanceof OutboundError) return false;
      throw error;
    }
  }
}

function consents(body: string, challenge: string): boolean {
  if (sameText(body.trim(), challenge)) return true;
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json !== "object" || json === null) return false;
    const [[key, value] = [], ...others] = Object.entries(json);
    return (
      others.length === 0 && key === "challenge" && typeof value === "string" && sameText(value, challenge)
    );
  } catch {
    return false;
  }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
