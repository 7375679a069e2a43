import type { InboxStore } from "./inbox.ts";
import type { LeaseStore } from "./leases.ts";
import type { LimitStore } from "./limits.ts";
import type { PostStore } from "./posts.ts";
import type { PublisherStore } from "./publishers.ts";
import type { PushStore } from "./pushes.ts";
import type { RankingStore } from "./rankings.ts";
import type { ReportStore } from "./reports.ts";
import type { SettingStore } from "./settings.ts";
import type { SignInStore } from "./sign-ins.ts";
import type { StatisticsStore } from "./statistics.ts";
import type { SubscriptionStore } from "./subscriptions.ts";
import type { TransferStore } from "./transfer.ts";
import type { WorkStore } from "./work.ts";

export * from "./inbox.ts";
export type * from "./leases.ts";
export type * from "./limits.ts";
export type * from "./posts.ts";
export type * from "./publishers.ts";
export type * from "./pushes.ts";
export type * from "./rankings.ts";
export type * from "./reports.ts";
export type * from "./settings.ts";
export type * from "./sign-ins.ts";
export type * from "./statistics.ts";
export type * from "./subscriptions.ts";
export type * from "./work.ts";

/**
 * What the domain asks of a database, grouped by resource. A store speaks rows, the domain speaks rules.
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
  /** Reads one row, and tells whether the database can be written; rejects when it does not answer. */
  ping(): Promise<{ canWrite: boolean }>;
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
