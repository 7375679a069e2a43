import type { Kind, PostFlag } from "../schema/post.ts";
import type { REASONS } from "../schema/report.ts";
import type { INACTIVE_REASONS } from "../schema/subscription.ts";
import type { TransferStore } from "./transfer.ts";

/**
 * What the domain asks of a database, grouped by resource. A store speaks rows, the domain speaks rules.
 *
 * Every promise below is a case of `test/contract/store.contract.ts`. Methods answer `null` for "no such row" and throw
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

export type PostState = "active" | "hidden" | "removed";

export interface StoredPost {
  id: string;
  publisherId: string;
  kind: Kind;
  title: string;
  body: string;
  link: string | null;
  tags: readonly string[];
  location: { name: string | null; lat: number | null; lng: number | null } | null;
  startsAt: number | null;
  endsAt: number | null;
  timezone: string | null;
  expiresAt: number;
  /** True when the publisher chose `expiresAt`; a default one follows the dates at an edit. */
  expiryChosen: boolean;
  sourceUrl: string | null;
  syndicated: boolean;
  metadata: Record<string, unknown>;
  parentId: string | null;
  replyCount: number;
  lastReplyAt: number | null;
  flags: readonly PostFlag[];
  /** 64-bit similarity hash of the text, 16 hex digits: near-identical texts differ in few bits. */
  fingerprint: string;
  /** SHA-256 of the input as it was sent, hex: tells whether a replayed idempotency key carries the same post. */
  inputHash: string;
  /** SHA-256 of its idempotency key, hex, or null. No two posts of a publisher have the same. */
  idempotencyHash: string | null;
  retrievals: number;
  createdAt: number;
  updatedAt: number;
  state: PostState;
}

/** What an edit may change. */
export type PostChange = Partial<
  Omit<
    StoredPost,
    | "id"
    | "publisherId"
    | "parentId"
    | "createdAt"
    | "replyCount"
    | "lastReplyAt"
    | "retrievals"
    | "inputHash"
    | "idempotencyHash"
  >
>;

/** The place after which a list goes on: the sort time and the id of the last row seen. */
export interface Place {
  at: number;
  id: string;
}

export interface PostStore {
  /**
   * Inserts a post and, in the same transaction: raises its publisher's post count, its parent's reply count and
   * `lastReplyAt`, moves the parent's expiry to at least `parentExpiresAt` (when given), puts the post into the
   * embedded index, and enqueues the work kinds `match` and `embed` for it.
   * When a post with this id, or one of this publisher with this `idempotencyHash`, is there already, in any state, nothing
   * changes, and that post is what it resolves to. Rejects, keeping nothing, when the
   * publisher is gone or the parent is gone or removed: races that the caller's own checks cannot exclude.
   */
  insert(
    post: StoredPost,
    options?: { parentExpiresAt?: number },
  ): Promise<{ inserted: boolean; post: StoredPost }>;
  /** One post in any state, or null. */
  get(id: string): Promise<StoredPost | null>;
  /** The post of a publisher with this `idempotencyHash`, in any state, or null. */
  byIdempotency(publisherId: string, idempotencyHash: string): Promise<StoredPost | null>;
  /** Those of the posts that exist, in any state, in the order of `ids`. At most 1,000 ids. */
  many(ids: readonly string[]): Promise<StoredPost[]>;
  /** Active replies of a post, oldest first by (createdAt, id), after `after`. */
  replies(parentId: string, page: { after: Place | null; limit: number }): Promise<StoredPost[]>;
  /** Active top-level posts and replies of a publisher, newest first. */
  byPublisher(publisherId: string, limit: number): Promise<StoredPost[]>;
  /**
   * Changes an active or hidden post in one transaction with its index entry; when `text` is true its vector is
   * dropped and `embed` enqueued; `match` is always enqueued. A change to state `hidden` takes the post, and not its
   * replies, out of the index and out of its parent's reply count; back to `active` puts both right again.
   * Resolves to the post as it is afterwards, or null when there is none or it is removed.
   */
  update(id: string, change: PostChange, options: { text: boolean }): Promise<StoredPost | null>;
  /**
   * Marks a post removed, with its replies when it is a root, in one transaction with the index, the publishers' post
   * counts, the parent's reply count and the deliveries. What the publisher wrote (title, body, link, tags, location, time
   * zone, source, metadata, flags) is wiped at once; ids, times, fingerprint and hash stay until the post is erased.
   * Resolves to the ids now removed; empty when there was nothing to do.
   */
  remove(id: string, now: number): Promise<string[]>;
  /** Fingerprints of a publisher's posts created at or after `since`, newest first, at most `limit`. Removed ones count. */
  fingerprints(
    publisherId: string,
    since: number,
    limit: number,
  ): Promise<{ id: string; fingerprint: string; createdAt: number }[]>;
  /** Adds to the counts of retrievals; unknown ids are passed over. May lose the last second on a crash. */
  addRetrievals(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Keeps vectors of posts (int8, see `src/search/quantize.ts`), makes them searchable, and enqueues `match`. Posts that are gone, or whose text changed since (`updatedAt` differs), are passed over. */
  setVectors(
    rows: readonly { id: string; updatedAt: number; model: string; vector: Int8Array }[],
  ): Promise<void>;
  /**
   * Vectors of posts under a model, in the order of `ids`; null where there is none. At most 1,000 ids. What an index
   * holds may be behind, and whoever settles work must see what the work was enqueued for.
   */
  vectors(ids: readonly string[], model: string): Promise<(Int8Array | null)[]>;
  /** Enqueues `embed` for at most `limit` posts that have no vector of this model and are not enqueued yet; resolves to how many. */
  enqueueMissingVectors(model: string, limit: number): Promise<number>;
  /** Physically erases at most `limit` posts expired, or removed, before the given times; resolves to how many. */
  erase(before: { expired: number; removed: number }, limit: number): Promise<number>;
}

export interface StoredPublisher {
  id: string;
  name: string;
  description: string | null;
  url: string | null;
  domain: string | null;
  /** Token of the domain proof; stays until the domain changes. */
  verifyToken: string | null;
  verifiedAt: number | null;
  verifiedVia: "dns" | "file" | null;
  /** When the proof was last looked at. */
  checkedAt: number | null;
  suspendedAt: number | null;
  /** SHA-256 of the API key, hex. */
  keyHash: string;
  postCount: number;
  createdAt: number;
}
type PublisherChange = Partial<Omit<StoredPublisher, "id" | "createdAt" | "postCount">>;

export interface PublisherStore {
  insert(publisher: StoredPublisher): Promise<void>;
  get(id: string): Promise<StoredPublisher | null>;
  many(ids: readonly string[]): Promise<StoredPublisher[]>;
  /** Reads the store each time: a rotated or erased key fails on the very next request of every process. */
  byKeyHash(keyHash: string): Promise<StoredPublisher | null>;
  /** Changes a publisher, and what the index knows of it (verified, suspended). */
  update(id: string, change: PublisherChange): Promise<StoredPublisher | null>;
  /**
   * Erases a publisher, its posts (with the replies to them), subscriptions, deliveries, reports and queued work, so
   * that no byte of its text stays in the database, its logs, indexes or queues. Its key fails from the first moment on;
   * an erasure that a crash interrupts is finished later. Resolves to the counts (posts not removed before), or null.
   */
  erase(id: string): Promise<{ posts: number; subscriptions: number } | null>;
  /** Verified publishers whose proof was last looked at before `before`, oldest first. */
  dueForCheck(before: number, limit: number): Promise<StoredPublisher[]>;
}

export interface StoredSubscription {
  id: string;
  publisherId: string;
  label: string | null;
  /** The saved query as JSON of the wire grammar, as `domain/query.ts` writes and reads it. */
  query: Record<string, unknown>;
  /** Vector of the query's text under `vectorModel`, or null until there is one. */
  vector: Int8Array | null;
  vectorModel: string | null;
  webhookUrl: string | null;
  webhookVerifiedAt: number | null;
  /** Version of the derived signing secret. */
  secretVersion: number;
  /** Until when the secret of the version before signs along, or null. */
  previousSecretUntil: number | null;
  active: boolean;
  inactiveReason: (typeof INACTIVE_REASONS)[number] | null;
  /** Failed pushes since the last delivered one. */
  failures: number;
  /** When the first of them failed, or null. */
  failingSince: number | null;
  lastMatchedAt: number | null;
  createdAt: number;
}
export type SubscriptionChange = Partial<Omit<StoredSubscription, "id" | "publisherId" | "createdAt">>;

/** One match as it is read back: `deliveryId` grows by one per subscription, in the order of matching. */
export interface Delivery {
  deliveryId: number;
  postId: string;
  matchedAt: number;
}

export interface SubscriptionStore {
  /** Inserts unless the publisher has `maxActive` active ones already; exact under concurrency. */
  insert(subscription: StoredSubscription, maxActive: number): Promise<boolean>;
  get(id: string): Promise<StoredSubscription | null>;
  /** All of a publisher, oldest first. */
  ofPublisher(publisherId: string): Promise<StoredSubscription[]>;
  update(id: string, change: SubscriptionChange): Promise<StoredSubscription | null>;
  /** Deletes it and its deliveries; false when there was none. */
  remove(id: string): Promise<boolean>;
  /**
   * What changed after change number `after`, in order, at most `limit`: the row as it is now, or null for one that is
   * gone. `next` is the number to go on from; it equals `after` when there is nothing new. `lastMatchedAt` as `deliver`
   * sets it is no change.
   */
  changes(
    after: number,
    limit: number,
  ): Promise<{ next: number; rows: { id: string; subscription: StoredSubscription | null }[] }>;
  /**
   * Records matches, each pair of subscription and post once and for ever, gives each its delivery id and, where the
   * subscription can be pushed to, its push, sets
   * `lastMatchedAt`, and marks `settled` work done, all in one transaction. Pairs whose subscription is gone, or
   * whose post is not active, are passed over (a restored post is matched anew). Resolves to the pairs that were new.
   */
  deliver(
    matches: readonly { subscriptionId: string; postId: string; matchedAt: number }[],
    settled: readonly WorkItem[],
  ): Promise<{ subscriptionId: string; postId: string; deliveryId: number }[]>;
  /** Deliveries with an id above `after`, in order, of posts that are active and whose publisher is not suspended. */
  pending(id: string, after: number, limit: number): Promise<Delivery[]>;
  /** How many `pending` would return from 0 on, for each id. */
  pendingCounts(ids: readonly string[]): Promise<Map<string, number>>;
  /** Erases deliveries matched before `before`, at most `limit`; the pair stays known as delivered. */
  forgetDeliveries(before: number, limit: number): Promise<number>;
}

/** A delivery on its way to a webhook. There is one for each delivery recorded while its subscription could be pushed to. */
interface Push {
  subscriptionId: string;
  deliveryId: number;
  postId: string;
  matchedAt: number;
}

/** A push that one worker may send until its lease ends. */
export interface ClaimedPush extends Push {
  /** Names the claim; a push that was claimed anew has another. */
  token: string;
  /** Attempts made so far, this one not counted. */
  attempts: number;
  subscription: StoredSubscription;
}

/** How one attempt ended. */
export interface PushAttempt {
  at: number;
  latencyMs: number;
  /** HTTP status of the answer, or null when there was none. */
  status: number | null;
  /** Why there was none, in a few words that hold no text of the receiver. */
  error: string | null;
}

export type PushState = "waiting" | "delivered" | "failed" | "cancelled";

/** A push with its latest attempt, as its owner sees it. */
export interface PushRecord extends Push {
  state: PushState;
  attempts: number;
  lastAttempt: PushAttempt | null;
  /** When it is tried next, or null. */
  dueAt: number | null;
}

/**
 * The outbox. `SubscriptionStore.deliver` adds pushes in its own transaction, for subscriptions that are active and
 * whose webhook has consented. Pushes vanish with their subscription; those of a post that is gone stay as records.
 */
export interface PushStore {
  /**
   * Claims due pushes of active subscriptions with consent until `now + leaseMs`. Each goes to one claimant of any
   * process, and is due again by itself when it is not settled in time. Origins take turns, so that one with a long
   * queue delays nobody.
   *
   * @param options.perOrigin  pushes of one origin (host and port of the webhook) that may be claimed at a time, over
   *   all processes
   * @param options.total  pushes that may be claimed at a time, over all processes
   * @param options.failing  how many of `total` may go to subscriptions whose last push failed, so that dead receivers
   *   cannot use up all places
   */
  claim(options: {
    limit: number;
    perOrigin: number;
    total: number;
    failing: number;
    leaseMs: number;
    now: number;
  }): Promise<ClaimedPush[]>;
  /**
   * Ends a claim: records the attempt (if one was made), the push's new state, and what follows for its subscription, in
   * one transaction: a delivered one clears `failures` and `failingSince`, a failed attempt raises and sets them.
   * Nothing happens when the claim was taken over; one whose lease ended without that still counts. Nothing follows for a
   * subscription whose webhook is no longer the one that was claimed.
   *
   * @param outcome.dueAt  with `waiting`: when to try again
   * @param outcome.deactivate  makes the subscription inactive for this reason
   * @returns false when the claim was taken over
   */
  settle(
    push: ClaimedPush,
    attempt: PushAttempt | null,
    outcome: {
      state: PushState;
      dueAt: number | null;
      deactivate: "webhook_gone" | "webhook_failing" | null;
    },
  ): Promise<boolean>;
  /** Gives claims back unused, due at once; for a stop. */
  giveBack(pushes: readonly ClaimedPush[]): Promise<void>;
  /** Pushes of a subscription with a delivery id below `before` (all when null), newest first. */
  list(subscriptionId: string, page: { before: number | null; limit: number }): Promise<PushRecord[]>;
  /**
   * Makes a delivery due at `now` once more, with its attempts counted anew, also one that was delivered or given up, or
   * that was recorded before the webhook consented. One that is claimed keeps its claim and becomes due when that is
   * settled, however it ended. False when there is no such delivery, it is forgotten, or its post is removed.
   */
  redeliver(subscriptionId: string, deliveryId: number, now: number): Promise<boolean>;
}

/** Something that concerns a publisher. */
export interface InboxEntry {
  /** Grows by publisher, in the order in which entries become visible: who goes on from the last one misses none. */
  no: number;
  /** `reply`: to a post of the publisher; `match`: of one of its subscriptions; `activity`: a reply in a thread it replied to. */
  type: "reply" | "match" | "activity";
  at: number;
  postId: string;
  subscriptionId: string | null;
  deliveryId: number | null;
}

/**
 * What a publisher should look at. `PostStore.insert` of a reply adds an entry for the root's publisher and for up to 200
 * publishers that replied before, never for the reply's own; `SubscriptionStore.deliver` adds one for each delivery.
 */
export interface InboxStore {
  /** Entries after `after`, in order, of posts that are active and whose publisher is not suspended. */
  read(publisherId: string, after: number, limit: number): Promise<InboxEntry[]>;
  /** Erases entries from before `before`, at most `limit`; resolves to how many. */
  forget(before: number, limit: number): Promise<number>;
}

export interface StoredReport {
  id: string;
  postId: string;
  /** `key:<publisher id>` or `addr:<keyed hash>`: one voice each. */
  reporter: string;
  reason: (typeof REASONS)[number];
  details: string | null;
  createdAt: number;
}

export interface ModerationEntry {
  at: number;
  action: "hide" | "restore" | "remove" | "suspend" | "reinstate";
  /** Post or publisher id. */
  subject: string;
  /** `operator`, or `reports` when enough reporters hid a post. */
  actor: "operator" | "reports";
  reason: string;
}

export interface ReportStore {
  /** Keeps one report per post and reporter; a repeat updates reason and details and keeps its id. */
  upsert(report: StoredReport): Promise<StoredReport>;
  /** Distinct reporters of a post whose first report came after `since`. */
  reporters(postId: string, since: number): Promise<number>;
  /** Posts with reports, most reporters first. */
  queue(
    limit: number,
  ): Promise<{ postId: string; reporters: number; reasons: string[]; lastAt: number; state: PostState }[]>;
  /** Appends to the moderation log. */
  log(entry: ModerationEntry): Promise<void>;
  /** The newest entries, for one subject or for all. */
  history(subject: string | null, limit: number): Promise<ModerationEntry[]>;
}

/** Things to do about a post after it was written, by whichever process comes first. */
export type WorkKind = "match" | "embed";
export interface WorkItem {
  kind: WorkKind;
  postId: string;
  /** Names this claim; a claim that was taken over, or a post enqueued anew meanwhile, has another. */
  token: string;
  /** Claims since it was enqueued, this one included. */
  attempts: number;
}

export interface WorkStore {
  /**
   * Claims at most `limit` due items until `now + leaseMs`, oldest first; each item goes to one claimant. A claim that is
   * not settled in time becomes due again by itself, so that work survives the death of its worker.
   */
  claim(kind: WorkKind, options: { limit: number; leaseMs: number; now: number }): Promise<WorkItem[]>;
  /** Settles items; one that was enqueued anew since its claim stays due. */
  done(items: readonly WorkItem[]): Promise<void>;
  /** Gives items back, due at `dueAt`. */
  giveBack(items: readonly WorkItem[], dueAt: number): Promise<void>;
  backlog(kind: WorkKind): Promise<number>;
}

export interface LimitStore {
  /**
   * Adds `points` to a counter that starts anew `windowMs` after its first point; exact across processes. Need not
   * survive a crash.
   * @returns the points so far, and when the window ends
   */
  add(
    key: string,
    points: number,
    windowMs: number,
    now: number,
  ): Promise<{ points: number; endsAt: number }>;
  /** Drops counters whose window has ended. */
  prune(now: number): Promise<void>;
}

/** A ranking frozen at its first page, so that later pages neither repeat nor skip. Holds ids only. */
export interface FrozenRanking {
  id: string;
  ids: readonly string[];
  /** In 0…1, one for each id. */
  relevance: readonly number[];
  /** The ranking that this one continues. */
  previous: string | null;
  expiresAt: number;
}

export interface RankingStore {
  /** Need not survive a crash. */
  save(ranking: FrozenRanking): Promise<void>;
  get(id: string, now: number): Promise<FrozenRanking | null>;
  prune(now: number): Promise<void>;
}

export interface BoardCounts {
  /** Top-level posts and replies neither expired nor removed; hidden ones are counted. */
  activePosts: number;
  publishers: number;
  /** Created since 00:00 UTC. */
  postsToday: number;
}

export interface BoardOverview extends BoardCounts {
  /** Of `activePosts`, as are `syndicated` and `kinds`. */
  firstHand: number;
  syndicated: number;
  /** Active ones. */
  subscriptions: number;
  kinds: Record<Kind, number>;
  topTags: { tag: string; count: number }[];
  /** Posts created by UTC day (`2026-11-20`), of the last `days` days, today included; oldest first, zeros too. */
  postsByDay: { day: string; posts: number }[];
}

export interface StatisticsStore {
  counts(now: number): Promise<BoardCounts>;
  /** Tags: the 25 most frequent on posts that are neither expired, removed nor hidden. */
  overview(now: number, days: number): Promise<BoardOverview>;
  /** Adds to counters kept by UTC day and name. Names hold no address, key or query. May lose the last second on a crash. */
  add(counts: readonly { day: string; name: string; n: number }[]): Promise<void>;
  /** Counters from `since` (a UTC day) on, oldest first. */
  read(since: string): Promise<{ day: string; name: string; n: number }[]>;
  /** Distinct publishers that wrote a post in [from, to). */
  activePublishers(from: number, to: number): Promise<number>;
}

export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** Keeps `value` unless there is one; resolves to the one that is kept. Exact when several processes start at once. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}

export interface LeaseStore {
  /**
   * Takes or renews a lease. Resolves to its fence, or to null when another owner holds it. The fence is a number that
   * grows each time the lease is taken anew and stays when it is renewed: an owner that finds another one has lost the
   * lease meanwhile.
   */
  acquire(name: string, owner: string, ttlMs: number, now: number): Promise<number | null>;
  release(name: string, owner: string): Promise<void>;
}
