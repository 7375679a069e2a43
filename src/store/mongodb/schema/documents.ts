import type { Binary } from "mongodb";
import type {
  ModerationEntry,
  PostState,
  PushState,
  StoredPost,
  StoredPublisher,
  StoredReport,
  StoredSubscription,
  WorkKind,
} from "../../../ports/store/index.ts";

/**
 * The documents of each collection. Names of fields are those of the tables of the SQLite store where there is one.
 * Times are dates, so that an operator can read them and a search index can compare them. What a publisher may shape
 * freely (metadata, a query) is kept as JSON text: its keys are data, not fields.
 */

/** Collection `posts`; sharded by `{ root: "hashed" }`, so that a thread is on one shard. */
export interface PostDocument {
  _id: string;
  /** The id of the thread: the parent's id, or the post's own. */
  root: string;
  publisher_id: string;
  parent_id: string | null;
  is_reply: boolean;
  kind: StoredPost["kind"];
  starts_at: Date | null;
  ends_at: Date | null;
  /** Window as filters see it: `starts_at ?? created_at` … `ends_at ?? starts_at ?? expires_at`. */
  win_start: Date;
  win_end: Date;
  expires_at: Date;
  expiry_chosen: boolean;
  syndicated: boolean;
  reply_count: number;
  last_reply_at: Date | null;
  flags: StoredPost["flags"];
  fingerprint: string;
  input_hash: string;
  idempotency_hash: string | null;
  created_at: Date;
  updated_at: Date;
  state: PostState;
  removed_at: Date | null;
  /** Raised by each report, and by deliveries (see `deliveries.ts`), which so meet an erasure of the post: none misses the other. */
  reports: number;
  /** What filters need to know of the publisher; follows it (see `publishers.ts`). */
  pub_verified: boolean;
  pub_suspended: boolean;
  /** Model of `vec`, null while there is none; kept while the post is hidden. */
  vec_model: string | null;
  vec?: Binary;
  /** What the publisher wrote; a removal unsets all of it. */
  title?: string;
  body?: string;
  link?: string | null;
  tags?: string[];
  place?: { name: string | null; lat: number | null; lng: number | null } | null;
  /** GeoJSON of `place`, where it has coordinates. */
  geo?: { type: "Point"; coordinates: [lng: number, lat: number] };
  timezone?: string | null;
  source_url?: string | null;
  metadata?: string;
}

/**
 * Collection `post_keys`; `_id` is `<publisher id>:<idempotency hash>`: one post for one key, on shards too, where only a
 * shard key can be unique.
 */
export interface PostKeyDocument {
  _id: string;
  post_id: string;
}

/** Collection `retrievals`: apart from posts, since every change of a post is an event for indexes. */
export interface RetrievalDocument {
  _id: string;
  n: number;
}

/** Collection `work`; `_id` is `<kind>:<post id>`. */
export interface WorkDocument {
  _id: string;
  kind: WorkKind;
  post_id: string;
  due_at: Date;
  token: string | null;
  attempts: number;
}

/** Collection `publishers`. */
export interface PublisherDocument {
  _id: string;
  name: string;
  description: string | null;
  url: string | null;
  domain: string | null;
  verify_token: string | null;
  verified_at: Date | null;
  verified_via: StoredPublisher["verifiedVia"];
  checked_at: Date | null;
  suspended_at: Date | null;
  key_hash: string;
  /** Raised and lowered in the transactions of posts: it is also what makes an insert and an erasure meet. */
  post_count: number;
  created_at: Date;
  erasing: boolean;
  /** True until `pub_verified` and `pub_suspended` of its posts follow a change of the publisher. */
  spreading: boolean;
}

/** Collection `inboxes`: number of the last entry of a publisher's inbox. Gone with the publisher, before its entries. */
export interface InboxCounterDocument {
  _id: string;
  no: number;
}

/** Collection `inbox`; `_id` is `<publisher id>:<no>`. */
export interface InboxDocument {
  _id: string;
  publisher_id: string;
  no: number;
  type: "reply" | "match" | "activity";
  at: Date;
  post_id: string;
  subscription_id: string | null;
  delivery_id: number | null;
}

/** Collection `subscriptions`. */
export interface SubscriptionDocument {
  _id: string;
  publisher_id: string;
  label: string | null;
  query: string;
  vector: Binary | null;
  vector_model: string | null;
  webhook_url: string | null;
  /** Host and port of the webhook, or null. */
  webhook_origin: string | null;
  webhook_verified_at: Date | null;
  secret_version: number;
  previous_secret_until: Date | null;
  active: boolean;
  inactive_reason: StoredSubscription["inactiveReason"];
  failures: number;
  failing_since: Date | null;
  last_matched_at: Date | null;
  created_at: Date;
  /** Id that the next delivery gets. */
  next_delivery: number;
  /** Number of its last change, from the sequence `subscription_change`. */
  change_no: number;
  /** Raised by each transaction that changes its pushes, so that two of them meet here (see `push-queue.ts`). */
  push_changes: number;
}

/** Collection `removed_subscriptions`: what `changes` tells of those that are gone, and what is left to purge. */
export interface RemovedSubscriptionDocument {
  _id: string;
  change_no: number;
  /** False until its deliveries, pushes and inbox entries are deleted. */
  purged: boolean;
}

/** Collection `sequences`: counters raised inside transactions, so that their numbers become visible in order. */
export interface SequenceDocument {
  _id: "subscription_change" | "push_turn";
  n: number;
}

/**
 * Collection `deliveries`; `_id` is `<subscription id>:<post id>`, so that a pair is there once; sharded by
 * `{ subscription_id: "hashed" }`. `matched_at` is null once it is pruned.
 */
export interface DeliveryDocument {
  _id: string;
  subscription_id: string;
  post_id: string;
  delivery_id: number;
  matched_at: Date | null;
}

/** Collection `pushes`; `_id` is `<subscription id>:<delivery id>`. */
export interface PushDocument {
  _id: string;
  subscription_id: string;
  delivery_id: number;
  post_id: string;
  matched_at: Date;
  state: PushState;
  /** When a waiting push is due; while it is claimed, when the lease ends. */
  due_at: Date | null;
  attempts: number;
  token: string | null;
  claimed_origin: string | null;
  claimed_failing: boolean | null;
  /** A new delivery that was asked for while it was claimed is due then. */
  again_at: Date | null;
  attempt: { at: Date; latency_ms: number; status: number | null; error: string | null } | null;
}

/** Collection `push_queue`: a subscription that can be pushed to and has pushes waiting. */
export interface PushQueueDocument {
  _id: string;
  origin: string;
  /** Whether its last push failed. */
  failing: boolean;
  /** When its first waiting push is due. */
  due_at: Date;
  /** Least recently served first. */
  turn: number;
}

/** Collection `push_lanes`; `_id` is `<failing> <origin>`: when the subscriptions of an origin were last served. */
export interface PushLaneDocument {
  _id: string;
  turn: number;
}

/** Collection `reports`. */
export interface ReportDocument {
  _id: string;
  post_id: string;
  reporter: string;
  reason: StoredReport["reason"];
  details: string | null;
  created_at: Date;
}

/** Collection `reported_posts`: the queue of moderation; `_id` is the post's id. */
export interface ReportedPostDocument {
  _id: string;
  reporters: number;
  last_at: Date;
}

/** Collection `moderation`. */
export interface ModerationDocument extends Omit<ModerationEntry, "at"> {
  at: Date;
}

/** Collection `windows`: counters of limits. */
export interface WindowDocument {
  _id: string;
  points: number;
  ends_at: Date;
}

/** Collection `rankings`. */
export interface RankingDocument {
  _id: string;
  ids: string[];
  relevance: number[];
  previous: string | null;
  expires_at: Date;
}

/** Collection `daily_counters`; `_id` is `<day> <name>`. */
export interface DailyCounterDocument {
  _id: string;
  day: string;
  name: string;
  n: number;
}

/** Collection `settings`. */
export interface SettingDocument {
  _id: string;
  value: string;
}

/** Collection `leases`. */
export interface LeaseDocument {
  _id: string;
  /** Null once it is released. */
  owner: string | null;
  ends_at: Date;
  /** Grows with every new owner. */
  fence: number;
}

export const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));
export const timeOf = (date: Date | null): number | null => date?.getTime() ?? null;
