import type { BoardModel } from "../domain/board/embedding-model.ts";
import { countUnread } from "../domain/board/unread-posts.ts";
import type { Publishers } from "../domain/publishers/index.ts";
import { DAY_MS, MINUTE_MS } from "../platform/time.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import { INBOX_KEPT_DAYS, type Store } from "../ports/store/index.ts";
import { enqueueMissing } from "./embed-posts.ts";
import type { Held, Job } from "./scheduler.ts";

const PROOF_AGE_MS = 30 * DAY_MS;
const PROOFS_PER_RUN = 100;

/** Says what runs when, in UTC, each on one instance at a time. */
export function jobsOf(services: {
  store: Store;
  index: SearchIndex;
  publishers: Publishers;
  embedder: Embedder;
  boardModel: BoardModel;
  /** Polls the feeds that are due. */
  pollFeeds: (now: number, held: Held) => Promise<void>;
  /** Tells the operator of new reports; null where nobody asked for it. */
  tellOfReports: ((now: number) => Promise<unknown>) | null;
}): Job[] {
  const { store, publishers, pollFeeds, tellOfReports } = services;
  const { pruneExpired } = store;
  return [
    {
      name: "erase-old",
      cron: "7 * * * *",
      leaseMs: 10 * MINUTE_MS,
      run: (now, held) => eraseOld(store, now, held),
    },
    {
      name: "finish-erasures",
      cron: "* * * * *",
      leaseMs: 5 * MINUTE_MS,
      run: () => store.finishErasures(),
    },
    {
      name: "remove-lapsed",
      cron: "* * * * *",
      leaseMs: 5 * MINUTE_MS,
      run: (now, held) => inBatches(held, () => store.subscriptions.removeLapsed(now, BATCH)),
    },
    ...(pruneExpired === undefined
      ? []
      : [{ name: "prune-scratch", cron: "*/5 * * * *", leaseMs: MINUTE_MS, run: pruneExpired }]),
    ...(tellOfReports === null
      ? []
      : [{ name: "tell-of-reports", cron: "* * * * *", leaseMs: MINUTE_MS, run: tellOfReports }]),
    { name: "poll-feeds", cron: "* * * * *", leaseMs: 5 * MINUTE_MS, run: pollFeeds },
    {
      name: "embed-missing",
      cron: "*/10 * * * *",
      leaseMs: MINUTE_MS,
      run: () => enqueueMissing(services),
    },
    {
      name: "count-unread",
      cron: "41 * * * *",
      leaseMs: MINUTE_MS,
      run: (now) => countUnread(services, now),
    },
    {
      name: "recheck-domains",
      cron: "23 4 * * *",
      leaseMs: 30 * MINUTE_MS,
      run: (now, held) => publishers.recheck(now - PROOF_AGE_MS, PROOFS_PER_RUN, now, held),
    },
  ];
}

/** Things are kept for this long after they ended. */
const KEPT_DAYS = { expired: 90, removed: 30, deliveries: 30, inbox: INBOX_KEPT_DAYS } as const;
const BATCH = 500;
/** A run ends after this many batches of each kind; the next one continues. */
const BATCHES_MAX = 200;

/** Erases what has been kept long enough; resolves to the number of rows erased. It is safe to run twice. */
export async function eraseOld(store: Store, now: number, held: Held = always): Promise<number> {
  const daysAgo = (days: number) => now - days * DAY_MS;
  const posts = { expired: daysAgo(KEPT_DAYS.expired), removed: daysAgo(KEPT_DAYS.removed) };
  const deliveries = daysAgo(KEPT_DAYS.deliveries);
  const { inbox } = store;
  return (
    (await inBatches(held, () => store.posts.erase(posts, BATCH))) +
    (await inBatches(held, () => store.subscriptions.pruneDeliveries(deliveries, BATCH))) +
    (await inBatches(held, async () => (await inbox.prune?.(daysAgo(KEPT_DAYS.inbox), BATCH)) ?? 0))
  );
}

async function inBatches(held: Held, erase: () => Promise<number>): Promise<number> {
  let erased = 0;
  for (let batch = 0; batch < BATCHES_MAX && (await held()); batch += 1) {
    const rows = await erase();
    erased += rows;
    if (rows < BATCH) break;
  }
  return erased;
}

const always: Held = () => Promise.resolve(true);
