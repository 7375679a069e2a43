import type { Binary } from "mongodb";
import type {
  FrozenRanking,
  ModerationEntry,
  PushRecord,
  SignInRow,
  StoredPost,
  StoredPublisher,
  StoredReport,
  StoredSubscription,
} from "../../../../ports/store/index.ts";
import type { BoardRows } from "../../../../records/index.ts";
import type { DocumentOf } from "../rows.ts";

/**
 * Each collection has such documents. Fields have the names of the SQLite store's columns where it has them. Times are dates,
 * which operators can read and search indexes can compare. What a publisher may shape freely (metadata, a query) is JSON
 * text: its keys are data, not fields. An older document lacks what came later, which `rowOf` completes.
 */

/** Collection `posts` is sharded by `{ root: "hashed" }`: a thread is on one shard. */
export interface PostDocument extends DocumentOf<Omit<StoredPost, "location" | "metadata">> {
  /** The root of a thread is the parent, or the post itself. */
  root: string;
  is_reply: boolean;
  /** Filters see this window; see `windowOf`. */
  win_start: Date;
  win_end: Date;
  removed_at?: Date | null | undefined;
  /** Each report and each delivery raises it, so that they conflict with an erasure of the post. */
  reports?: number;
  /** Such work waits, or is claimed; missing when there is none. */
  match?: DueWork;
  embed?: DueWork;
  /** The publisher's status is copied here (see `../../publishers/status.ts`). */
  pub_verified: boolean;
  pub_suspended: boolean;
  /** `vec` is of this model, which is kept while the post is hidden. */
  vec_model?: string | null | undefined;
  /** It also says how the text was prepared, in one word (`makerName`); null without a vector. */
  vec_maker?: string | null | undefined;
  vec?: Binary;
  place?: StoredPost["location"] | undefined;
  /** Holds `place` as GeoJSON, where that has coordinates. */
  geo?: { type: "Point"; coordinates: [lng: number, lat: number] } | undefined;
  /** See `IndexEntry.source`. */
  source?: string | null | undefined;
  metadata?: string | undefined;
}

/** A post has such work. While it is claimed, `at` is the end of the lease and `token` names the claim. */
export interface DueWork {
  at: Date;
  token: string | null;
  /** Claims since it was enqueued. */
  attempts: number;
}

/** `post_count` changes in the transactions of posts, so that an insert conflicts with an erasure of the publisher. */
export interface PublisherDocument extends DocumentOf<StoredPublisher> {
  /** Numbers the last entry of its inbox, and is raised in the transaction that adds one. */
  inbox_no: number;
  erasing: boolean;
  /** True until `pub_verified` and `pub_suspended` of its posts say its present status. */
  spreading: boolean;
}

/** Collection `inbox` has `<publisher id>:<no>` as `_id`. */
export interface InboxDocument extends DocumentOf<BoardRows["inbox"]> {
  _id: string;
}

export interface SubscriptionDocument extends DocumentOf<StoredSubscription> {
  /** Holds host and port of the webhook, or null. */
  webhook_origin: string | null;
  /** The next delivery gets this id. */
  next_delivery: number;
  /** Numbers its last change, from the sequence `subscription_change`. */
  change_no: number;
  /** Each redelivery raises it, so that it conflicts with other changes; missing before the first. */
  redeliveries?: number;
}

/** Collection `removed_subscriptions` serves `SubscriptionStore.changes`, and lasts until their remains are purged. */
interface RemovedSubscriptionDocument {
  _id: string;
  change_no: number;
  /** The deliveries of another one of its id count from this number on; the remains have lower ones. */
  next_delivery?: number;
  /** False until its deliveries, pushes and inbox entries are deleted. */
  purged: boolean;
}

/** Collection `sequences` holds counters, raised inside transactions, so that their numbers become visible in order. */
interface SequenceDocument {
  _id: "subscription_change";
  n: number;
}

/**
 * Collection `deliveries` has `<subscription id>:<post id>` as `_id`, so that a pair exists once; it is sharded by `{
 * subscription_id: "hashed" }`. `matched_at` is null once it is pruned.
 */
export interface DeliveryDocument extends DocumentOf<BoardRows["delivery"]> {
  _id: string;
}

/**
 * Collection `pushes` has `<subscription id>:<delivery id>` as `_id`. While a push is claimed, `token` names the claim and
 * `due_at` is the end of the lease.
 */
export interface PushDocument extends DocumentOf<PushRecord> {
  _id: string;
  token: string | null;
  /** A redelivery requested during a claim is due then. */
  again_at: Date | null;
  /** A waiting push goes where its subscription says; null while nothing may be pushed there. */
  origin: string | null;
  /** True when the last push of its subscription failed. */
  failing: boolean;
}

/**
 * Collection `told_series` has `<subscription id>:<series>` as `_id`, and until when it has dates that a subscription knows
 * of.
 */
interface ToldSeriesDocument {
  _id: string;
  subscription_id: string;
  ends_at: Date;
}

/** Collection `windows` holds counters of limits. */
interface WindowDocument {
  _id: string;
  points: number;
  ends_at: Date;
}

/** Collection `daily_counters` has `<day> <name>` as `_id`. */
interface DailyCounterDocument extends DocumentOf<BoardRows["counter"]> {
  _id: string;
}

interface SettingDocument {
  _id: string;
  value: string;
}

interface LeaseDocument {
  _id: string;
  /** A released lease has no owner. */
  owner: string | null;
  ends_at: Date;
  /** Grows with every new owner. */
  fence: number;
}

/** Names the collection of each kind of document. */
export interface Documents {
  posts: PostDocument;
  publishers: PublisherDocument;
  sign_ins: DocumentOf<SignInRow>;
  inbox: InboxDocument;
  subscriptions: SubscriptionDocument;
  removed_subscriptions: RemovedSubscriptionDocument;
  sequences: SequenceDocument;
  deliveries: DeliveryDocument;
  pushes: PushDocument;
  told_series: ToldSeriesDocument;
  reports: DocumentOf<StoredReport>;
  moderation: DocumentOf<ModerationEntry>;
  windows: WindowDocument;
  rankings: DocumentOf<FrozenRanking>;
  daily_counters: DailyCounterDocument;
  settings: SettingDocument;
  leases: LeaseDocument;
}

/** A delivery that is not pruned has a `matched_at`, as the partial indexes of such deliveries demand. */
export const UNPRUNED = { $type: "date" } as const;

export const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));
export const timeOf = (date: Date | null | undefined): number | null => date?.getTime() ?? null;
