import type { PushAttempt, PushRecord, PushState, StoredSubscription } from "../../records/subscription.ts";

export type { PushAttempt, PushRecord, PushState };

/**
 * A delivery is on its way to a webhook. Each delivery recorded while its subscription had a webhook has one: it waits
 * until the subscription is active and the webhook has consented.
 */
type Push = Pick<PushRecord, "subscriptionId" | "deliveryId" | "postId" | "matchedAt">;

/** One worker may send this push until its lease ends. */
export interface ClaimedPush extends Push {
  /** Names the claim; a push claimed again has another. */
  token: string;
  /** This many attempts were made before this one. */
  attempts: number;
  receiver: Receiver;
}

/** Holds a push's subscription, as it was when the push was claimed. */
interface Receiver extends Pick<StoredSubscription, "publisherId" | "webhookUrl"> {
  /** Holds host and port of the webhook. */
  origin: string;
  /** True when its last push failed. */
  failing: boolean;
}

/**
 * Keeps the outbox. `SubscriptionStore.deliver` adds pushes in its own transaction, for subscriptions with a webhook.
 * Pushes vanish with their subscription; those of a post that is gone stay as records.
 */
export interface PushStore {
  /**
   * Claims due pushes of active subscriptions with consent until `now + leaseMs`, first due first. Each goes to one claimant
   * over all processes, and falls due again when it is not settled in time.
   *
   * @param options.limit  free places of the caller
   * @param options.perOrigin  places of the caller for one origin, so that one with a long queue delays nobody
   * @param options.failingPerOrigin  the same for its subscriptions whose last push failed, beside the others; as many by
   *   default
   * @param options.underWay  receivers that hold a place already; none by default
   * @param options.failing  how many of `limit` may go to subscriptions whose last push failed, so that dead receivers
   *   cannot use up all places
   */
  claim(options: {
    limit: number;
    perOrigin: number;
    failingPerOrigin?: number;
    underWay?: readonly Pick<Receiver, "origin" | "failing">[];
    failing: number;
    leaseMs: number;
    now: number;
  }): Promise<ClaimedPush[]>;
  /**
   * Ends a claim: records the attempt (if one was made), the push's new state, and what follows for its subscription,
   * together: a delivered one clears `failures` and `failingSince`, a failed attempt raises and sets them.
   * Nothing happens when the claim was taken over; a claim whose lease merely ended still counts. A subscription whose
   * webhook has changed since the claim is left alone.
   *
   * @param outcome.dueAt  with `waiting`: when to try again
   * @param outcome.deactivate  makes the subscription inactive for this reason
   * @returns false when the claim was taken over
   */
  settle(
    push: ClaimedPush,
    attempt: PushAttempt | null,
    outcome: {
      state: PushState;
      dueAt: number | null;
      deactivate: "webhook_gone" | "webhook_failing" | null;
    },
  ): Promise<boolean>;
  /**
   * Makes pushes that wait by a clock which has gone back since wait from `now` on, as long as before: those whose match or
   * last attempt lies further ahead than clocks of processes can differ.
   */
  hasten(now: number): Promise<void>;
  /** Gives claims back unused, due at once; for a stop. */
  giveBack(pushes: readonly ClaimedPush[]): Promise<void>;
  /** Tells how many wait for webhooks that may be called, and when the oldest of their posts matched; null where none waits. */
  backlog(): Promise<{ waiting: number; oldestAt: number | null }>;
  /** Lists pushes of a subscription with a delivery id below `before` (all when null), newest first. */
  list(subscriptionId: string, page: { before: number | null; limit: number }): Promise<PushRecord[]>;
  /**
   * Makes a delivery due again at `now`, with its attempts counted from 0, even one that was delivered, given up, or
   * recorded before the webhook consented. A claimed one keeps its claim and falls due once that is settled, whatever
   * the outcome. False when there is no such delivery, it is pruned, or its post is removed.
   */
  redeliver(subscriptionId: string, deliveryId: number, now: number): Promise<boolean>;
}
