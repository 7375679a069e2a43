import type { BoardModel } from "../domain/board/embedding-model.ts";
import { countUnread } from "../domain/board/unread-posts.ts";
import type { Publishers } from "../domain/publishers/index.ts";
import { DAY_MS, MINUTE_MS } from "../domain/time.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { Store } from "../ports/store/index.ts";
import { enqueueMissing } from "./embed-posts.ts";
import { eraseOld, hasScratchToPrune, pruneScratch } from "./housekeeping.ts";
import type { Held, Job } from "./scheduler.ts";

const PROOF_AGE_MS = 30 * DAY_MS;
const PROOFS_PER_RUN = 100;

/** The schedule of the board: what runs when, in UTC, each on one instance at a time. */
export function jobsOf(services: {
  store: Store;
  index: SearchIndex;
  publishers: Publishers;
  embedder: Embedder;
  boardModel: BoardModel;
  /** Polls the feeds that are due. */
  pollFeeds: (now: number, held: Held) => Promise<void>;
}): Job[] {
  const { store, publishers, pollFeeds } = services;
  const scratch: Job = {
    name: "prune-scratch",
    cron: "*/5 * * * *",
    leaseMs: MINUTE_MS,
    run: (now, held) => pruneScratch(store, now, held),
  };
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
    ...(hasScratchToPrune(store) ? [scratch] : []),
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
