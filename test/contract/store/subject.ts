import type { Store, WorkItem } from "../../../src/ports/store/index.ts";
import { T0 } from "../../support/search/rows.ts";

/** What each part of the contract tests: an empty store with one publisher, `pub_a`, new for each test. */
export interface Subject {
  store: Store;
  /** A second handle on the same data, as another process has it; closed after the test. */
  another(): Promise<Store>;
  /** Closes `store` and opens the same data again, as after a restart of the process. */
  reopen(): Promise<Store>;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Every item of a kind that is due a day after `T0`, taken for an hour. */
export function claimedWork(store: Store, kind: "match" | "embed"): Promise<WorkItem[]> {
  return store.work.claim(kind, { limit: 1000, leaseMs: HOUR_MS, now: T0 + DAY_MS });
}

export async function settleWork(store: Store): Promise<void> {
  await store.subscriptions.deliver(
    [],
    [...(await claimedWork(store, "match")), ...(await claimedWork(store, "embed"))],
  );
}

/** Lets others go on. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
