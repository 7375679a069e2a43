import type { InboxStore } from "./store/inbox.ts";
import type { LeaseStore } from "./store/leases.ts";
import type { LimitStore } from "./store/limits.ts";
import type { PostStore } from "./store/posts.ts";
import type { PublisherStore } from "./store/publishers.ts";
import type { PushStore } from "./store/pushes.ts";
import type { RankingStore } from "./store/rankings.ts";
import type { ReportStore } from "./store/reports.ts";
import type { SettingStore } from "./store/settings.ts";
import type { StatisticsStore } from "./store/statistics.ts";
import type { SubscriptionStore } from "./store/subscriptions.ts";
import type { WorkStore } from "./store/work.ts";
import type { TransferStore } from "./transfer.ts";

export type * from "./store/inbox.ts";
export type * from "./store/leases.ts";
export type * from "./store/limits.ts";
export type * from "./store/posts.ts";
export type * from "./store/publishers.ts";
export type * from "./store/pushes.ts";
export type * from "./store/rankings.ts";
export type * from "./store/reports.ts";
export type * from "./store/settings.ts";
export type * from "./store/statistics.ts";
export type * from "./store/subscriptions.ts";
export type * from "./store/work.ts";

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
  /** Reads one row; rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The database cannot do this now: locked for long, disk full or unreadable, out of reach. Trying again may help. */
export class StoreUnavailable extends Error {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
    this.name = "StoreUnavailable";
  }
}
