import { timingSafeEqual } from "node:crypto";
import { BoardError } from "../../board/failures.ts";
import { MINUTE_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import { isMatched, type Store, type StoredSubscription } from "../../ports/store/index.ts";
import { type DeliveryProblem, verificationOf } from "../events/names.ts";
import { isoTime } from "../resources.ts";
import { newToken, type Secrets } from "../secrets.ts";
import { ACTIVATED, changeSubscription, isSuspended } from "../subscriptions/state.ts";
import type { HourlyLimit } from "./hourly-limit.ts";
import { callWebhook, keysOf, type Message, problemOf } from "./request.ts";

/** A challenge is good for this long, and its answer may hold this much. */
const TTL_MS = 10 * MINUTE_MS;
const BOUNDS = { maxBytes: 4 * 1024 } as const;

interface Parts {
  store: Store;
  outbound: Outbound;
  secrets: Secrets;
  hourly: HourlyLimit;
  log: (message: string, error: unknown) => void;
}

/**
 * Asks the owner of a webhook whether it wants to be called, and keeps the answer. Nothing else is ever sent to a URL
 * that has not said yes. The subscription may change while the webhook is asked, up to 10 s: an answer holds for the
 * URL that was asked.
 */
export class Consent {
  readonly #parts: Parts;
  readonly #asking = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks after the caller has its answer. A yes also re-activates a subscription whose webhook had been given up. */
  askLater(row: StoredSubscription, url: string, now: number): void {
    const asked = (async () => {
      try {
        const webhookRefusal = await this.#ask(row, url, now);
        await changeSubscription(this.#parts.store, row.id, (current) => {
          if (current.webhookUrl !== url) return null;
          // A later question may have been answered first.
          if (webhookRefusal !== null) return current.webhookVerifiedAt === null ? { webhookRefusal } : null;
          // What its owner or the operator paused stays so.
          return { ...(isMatched(current) ? ACTIVATED : {}), webhookVerifiedAt: now, webhookRefusal };
        });
      } catch (error) {
        if (!(error instanceof BoardError)) this.#parts.log("asking a webhook for consent failed", error);
      }
    })();
    this.#asking.add(asked);
    void asked.finally(() => this.#asking.delete(asked));
  }

  /**
   * Asks at the owner's request. A yes re-activates the subscription, unless it is suspended; a no withdraws an earlier
   * yes.
   * @returns the subscription afterwards
   * @throws BoardError `rate_limited`, `subscription_not_found`, `too_many_subscriptions`
   */
  async askAgain(row: StoredSubscription, url: string, now: number): Promise<StoredSubscription> {
    const webhookRefusal = await this.#ask(row, url, now);
    return changeSubscription(this.#parts.store, row.id, (current) => {
      if (current.webhookUrl !== url) return null;
      if (webhookRefusal === null)
        return { ...(isSuspended(current) ? {} : ACTIVATED), webhookVerifiedAt: now, webhookRefusal };
      // A later question may have been answered first.
      return (current.webhookVerifiedAt ?? now) > now ? null : { webhookVerifiedAt: null, webhookRefusal };
    });
  }

  /**
   * Asks a webhook that a host named, within the host's call, signed with the host's secret. Yes is the challenge in any
   * answer of 200 to 299.
   *
   * @param to.by  names publisher and URL: however many subscriptions there would be, it is asked as often as for one
   * @returns null for a yes
   * @throws BoardError `rate_limited`
   */
  ofHost(
    { by, secret, ...to }: Asked & { by: string; secret: string },
    now: number,
  ): Promise<DeliveryProblem | null> {
    const ask = async () => {
      const { agrees, ...attempt } = await this.#challenge(to, [secret], verificationOf, now);
      return problemOf(attempt) ?? (agrees ? null : "challenge_failed");
    };
    return this.#parts.hourly.within(by, to.url, now, ask, (problem) => problem === null);
  }

  /** Waits for the questions of `askLater` that are still under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking);
  }

  /**
   * Posts a signed challenge. Consent is a 200 whose body is exactly the challenge, or a JSON object with it as its
   * only member: a server that merely echoes what it is sent does not consent.
   *
   * @returns null for consent, else what came in its place
   * @throws BoardError `rate_limited`
   */
  async #ask(row: StoredSubscription, url: string, now: number): Promise<string | null> {
    const { hourly, secrets } = this.#parts;
    const messageOf = (challenge: string, token: string) => ({
      id: `msg_${row.id}_challenge_${token}`,
      body: JSON.stringify({
        type: "webhook.challenge",
        subscription_id: row.id,
        challenge,
        expires_at: isoTime(now + TTL_MS),
      }),
    });
    const ask = async () => {
      const to = { ...row, url };
      const answer = await this.#challenge(to, keysOf(row, secrets, now), messageOf, now);
      if (answer.error !== null) return answer.error;
      if (answer.status !== 200) return `It answered with status ${answer.status}, not 200.`;
      return answer.agrees ? null : WRONG_BODY;
    };
    return hourly.within(row.id, url, now, ask, (refusal) => refusal === null);
  }

  async #challenge(
    to: Asked,
    keys: readonly string[],
    messageOf: (challenge: string, token: string) => Message,
    now: number,
  ) {
    const challenge = newToken() + newToken();
    const message = messageOf(challenge, newToken());
    const { attempt, answered } = await callWebhook(this.#parts.outbound, to, keys, message, now, BOUNDS);
    return { ...attempt, agrees: consents(answered, challenge) };
  }
}

type Asked = Parameters<typeof callWebhook>[1];

const WRONG_BODY =
  'It answered 200, but its body was neither the challenge alone nor {"challenge": "…"} and nothing more.';

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
