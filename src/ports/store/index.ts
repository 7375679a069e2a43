import type { LeaseStore, LimitStore, RankingStore, SettingStore, StatisticsStore } from "./board.ts";
import type { PostStore, WorkStore } from "./posts.ts";
import type { PublisherStore, ReportStore, SignInStore } from "./publishers.ts";
import type { PushStore } from "./pushes.ts";
import type { InboxStore, SubscriptionStore } from "./subscriptions.ts";
import type { TransferStore } from "./transfer.ts";

export type * from "./board.ts";
export * from "./posts.ts";
export type * from "./publishers.ts";
export type * from "./pushes.ts";
export * from "./subscriptions.ts";

/**
 * The domain asks this of a database, grouped by resource. A store speaks rows, the domain speaks rules.
 *
 * The promises below are cases of `test/contract/store/`. Methods answer `null` for "no such row" and throw
 * only when storage is broken; a write that resolved survives a kill of the process and a loss of power, unless its
 * docstring says otherwise. What must happen together is one method. All times are epoch milliseconds.
 */
export interface Store {
  posts: PostStore;
  publishers: PublisherStore;
  signIns: SignInStore;
  subscriptions: SubscriptionStore;
  reports: ReportStore;
  pushes: PushStore;
  inbox: InboxStore;
  work: WorkStore;
  limits: LimitStore;
  rankings: RankingStore;
  statistics: StatisticsStore;
  settings: SettingStore;
  leases: LeaseStore;
  transfer: TransferStore;
  /**
   * Completes erasures that were interrupted, and drops copies of erased and removed text that a reader elsewhere kept in
   * the log. Waits two seconds at most; safe to repeat and to run in several processes.
   * @returns false when a reader still holds such copies
   */
  finishErasures(): Promise<boolean>;
  /** Drops counters of limits, rankings and sign-ins that have expired. Absent where the database does so by itself. */
  pruneExpired?(now: number): Promise<void>;
  /** Reads one row, and tells why the database cannot be written, or null; rejects when it does not answer. */
  ping(): Promise<{ unwritable: StoreUnavailable | null }>;
  close(): Promise<void>;
}

/** Reads posts and publishers by id; one that is gone is left out. */
export type ShownRows = { posts: Pick<PostStore, "many">; publishers: Pick<PublisherStore, "many"> };

/** The database cannot do this now: locked for long, disk full or unreadable, out of reach. Trying again may help. */
export class StoreUnavailable extends Error {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
    this.name = "StoreUnavailable";
  }
}
