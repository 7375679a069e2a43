import type { Store } from "../ports/store.ts";

const DAY_MS = 86_400_000;
/** Contract section 4 and 7: how long things are kept after they ended. */
const KEPT_DAYS = { expired: 90, removed: 30, deliveries: 30 } as const;
const BATCH = 200;

/** Erases what has been kept long enough; resolves to how many rows went. Safe to run twice. */
export async function eraseOld(store: Store, now: number): Promise<number> {
  const before = {
    expired: now - KEPT_DAYS.expired * DAY_MS,
    removed: now - KEPT_DAYS.removed * DAY_MS,
  };
  const posts = await store.posts.erase(before, BATCH);
  const deliveries = await store.subscriptions.forgetDeliveries(now - KEPT_DAYS.deliveries * DAY_MS, BATCH);
  return posts + deliveries;
}

/** Drops counters and rankings whose time is over. */
export async function pruneScratch(store: Store, now: number): Promise<void> {
  await store.limits.prune(now);
  await store.rankings.prune(now);
}
