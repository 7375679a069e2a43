import type {
  ClaimedPush,
  PushAttempt,
  PushState,
  Store,
  StoredSubscription,
} from "../../../../src/ports/store/index.ts";
import { aPost, aSubscription, T0 } from "../../../support/search/rows.ts";
import { HOUR_MS } from "../subject.ts";

/** When pushes are claimed and answered, unless a test says otherwise: an hour after the first match. */
export const NOW = T0 + HOUR_MS;
export const LEASE_MS = 30_000;
/** Clocks may differ by two minutes. */
export const CLOCKS_APART_MS = 120_000;

const EVERYTHING = {
  limit: 100,
  perOrigin: 100,
  failing: 100,
  leaseMs: LEASE_MS,
  now: NOW,
};

/** What the tests of pushes do to a store. */
export function preparePushes(store: Store) {
  let posts = 0;
  return {
    /** Adds a subscription whose webhook at `origin` has consented. */
    consenting: (id: string, origin: string, over: Partial<StoredSubscription> = {}) =>
      store.subscriptions.insert(
        aSubscription(id, { webhookUrl: `${origin}/hook/${id}`, webhookVerifiedAt: T0, ...over }),
        50,
      ),

    /**
     * Records `count` matches of new posts, one after the other, the first matched at `from`.
     * @returns the ids of the posts
     */
    async match(subscriptionId: string, count: number, from = T0): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, n) => `match${posts + n}`);
      posts += count;
      for (const id of ids) await store.posts.insert(aPost(id));
      await store.subscriptions.deliver(
        ids.map((postId, n) => ({ subscriptionId, postId, matchedAt: from + n })),
        [],
      );
      return ids;
    },

    /** Claims all that is due at `NOW`, within bounds that hold nothing up. */
    claim: (over: Partial<Parameters<Store["pushes"]["claim"]>[0]> = {}, from = store) =>
      from.pushes.claim({ ...EVERYTHING, ...over }),

    /** Settles a push by an answer of 204 if it is delivered, and of 500 if not. */
    end: (push: ClaimedPush, state: PushState, over: Partial<{ at: number; dueAt: number }> = {}) =>
      store.pushes.settle(push, answer(over.at ?? NOW, state === "delivered" ? 204 : 500), {
        state,
        dueAt: over.dueAt ?? null,
        deactivate: null,
      }),
  };
}

/** @param status  null when no answer came in time */
export function answer(at: number, status: number | null): PushAttempt {
  return { at, latencyMs: 120, status, error: status === null ? "timed out" : null };
}

export function first(pushes: readonly ClaimedPush[]): ClaimedPush {
  const [push] = pushes;
  if (push === undefined) throw new Error("nothing was claimed");
  return push;
}

/** Subscription and number, such as `sub_1 3`. */
export const named = (pushes: readonly { subscriptionId: string; deliveryId: number }[]) =>
  pushes.map(({ subscriptionId, deliveryId }) => `${subscriptionId} ${deliveryId}`);
