import type { IndexDescription } from "mongodb";
import { INBOX_KEPT_DAYS } from "../../../../ports/store/index.ts";
import type { Documents } from "./documents.ts";

type Index = IndexDescription & { name: string };

const DAY_S = 86_400;
/** What has ended goes a while later: the server's clock and the board's may differ. */
const ENDED_S = 600;
/** Texts that differ in the case of letters alone are equal. */
export const ANY_CASE = { locale: "en", strength: 2 } as const;

/**
 * Lists the indexes of each collection beside `_id`. Every query of the store but the queue of moderation uses one, and
 * `test/mongodb/plans.slow.test.ts` checks that. By those with `expireAfterSeconds` the server deletes documents, about
 * once a minute. A change takes effect with a new `SCHEMA_VERSION`.
 */
export const INDEXES: Readonly<Record<keyof Documents, readonly Index[]>> = {
  posts: [
    {
      // The index has the replies of a thread, in order, and tells how many there are.
      name: "thread",
      key: { parent_id: 1, state: 1, created_at: 1, _id: 1, root: 1 },
      partialFilterExpression: { parent_id: { $gt: "" } },
    },
    {
      // The index has publishers with a reply in a thread, each once; the key alone answers, without reading a reply.
      name: "replier",
      key: { parent_id: 1, state: 1, publisher_id: 1, root: 1 },
      partialFilterExpression: { parent_id: { $gt: "" } },
    },
    // The index has a publisher's active posts, newest first.
    { name: "shown", key: { publisher_id: 1, state: 1, created_at: -1, _id: -1 } },
    // It serves fingerprints, and all posts of a publisher.
    { name: "fingerprint", key: { publisher_id: 1, created_at: -1, _id: -1, fingerprint: 1, root: 1 } },
    {
      name: "idempotency",
      key: { publisher_id: 1, idempotency_hash: 1 },
      partialFilterExpression: { idempotency_hash: { $gt: "" } },
    },
    // It finds removed posts to erase; expired ones are found by `live`.
    { name: "removed", key: { removed_at: 1 }, partialFilterExpression: { state: "removed" } },
    // Calendars say of these that they are cancelled.
    {
      name: "cancelled",
      key: { removed_at: -1, _id: 1 },
      partialFilterExpression: { state: "removed", starts_at: { $type: "date" } },
    },
    // It finds posts without a vector of a model and preparation.
    {
      name: "vector_maker",
      key: { vec_maker: 1, _id: 1, updated_at: 1, state: 1, root: 1 },
      partialFilterExpression: { state: "active" },
    },
    // These find work that is due, and the backlog.
    { name: "match", key: { "match.at": 1 }, sparse: true },
    { name: "embed", key: { "embed.at": 1 }, sparse: true },
    // These serve statistics. With the shard key in it, a shard need not read a post to know that it owns it.
    { name: "live", key: { state: 1, expires_at: 1, kind: 1, syndicated: 1, root: 1 } },
    { name: "created", key: { created_at: 1, publisher_id: 1, root: 1 } },
    // The operator looks through these: everything that is not removed, and what is hidden.
    { name: "written", key: { created_at: -1, _id: -1, state: 1, root: 1 } },
    {
      name: "hidden",
      key: { created_at: -1, _id: -1 },
      partialFilterExpression: { state: "hidden" },
    },
  ],
  publishers: [
    { name: "key", key: { key_hash: 1 }, unique: true },
    { name: "name", key: { name: 1 }, collation: ANY_CASE },
    // It finds proofs to check again.
    {
      name: "check",
      key: { checked_at: 1, _id: 1 },
      partialFilterExpression: { verified_at: { $type: "date" } },
    },
    // It finds publishers whose status is not yet copied to all their posts.
    { name: "spreading", key: { spreading: 1 }, partialFilterExpression: { spreading: true } },
    // It serves counts, and finds erasures to complete.
    { name: "erasing", key: { erasing: 1 } },
    // It lists them by the time of their registration.
    { name: "created", key: { created_at: -1, _id: -1 } },
  ],
  sign_ins: [
    // These end with a grant, and with a publisher.
    { name: "grant", key: { grant_id: 1 }, partialFilterExpression: { grant_id: { $gt: "" } } },
    {
      name: "publisher",
      key: { publisher_id: 1, expires_at: 1, _id: 1 },
      partialFilterExpression: { publisher_id: { $gt: "" } },
    },
    // The index has the hosts that are signed in as a publisher: what was used, however much, is not in it.
    {
      name: "host",
      key: { publisher_id: 1, expires_at: -1, _id: 1 },
      partialFilterExpression: { consumed_at: null, _id: { $gt: "RefreshToken:", $lt: "RefreshToken;" } },
    },
    { name: "end", key: { expires_at: 1 }, expireAfterSeconds: ENDED_S },
  ],
  inbox: [
    // The index has a publisher's entries, in order.
    { name: "number", key: { publisher_id: 1, no: 1 }, unique: true },
    { name: "age", key: { at: 1 }, expireAfterSeconds: INBOX_KEPT_DAYS * DAY_S },
    // These go with a post, and with a subscription.
    { name: "post", key: { post_id: 1 } },
    {
      name: "subscription",
      key: { subscription_id: 1 },
      partialFilterExpression: { subscription_id: { $gt: "" } },
    },
  ],
  subscriptions: [
    // The index has a publisher's subscriptions, oldest first.
    { name: "owner", key: { publisher_id: 1, created_at: 1, _id: 1 } },
    { name: "change", key: { change_no: 1 } },
    // It serves statistics.
    { name: "active", key: { active: 1 } },
    // Finds those whose pushes fail.
    {
      name: "failing",
      key: { failing_since: 1 },
      partialFilterExpression: { failing_since: { $type: "date" } },
    },
    // The sweep finds lapsed subscriptions by it.
    {
      name: "end",
      key: { expires_at: 1 },
      partialFilterExpression: { expires_at: { $type: "date" } },
    },
  ],
  removed_subscriptions: [
    { name: "change", key: { change_no: 1 } },
    // Finds those to purge.
    { name: "unpurged", key: { purged: 1 }, partialFilterExpression: { purged: false } },
  ],
  sequences: [],
  deliveries: [
    // The index has deliveries of a subscription that are not pruned, in order.
    {
      name: "number",
      key: { subscription_id: 1, delivery_id: 1 },
      partialFilterExpression: { matched_at: { $type: "date" } },
    },
    // It finds all of a removed subscription, to purge.
    { name: "subscription", key: { subscription_id: 1, _id: 1 } },
    // It finds deliveries to prune.
    {
      name: "age",
      key: { matched_at: 1 },
      partialFilterExpression: { matched_at: { $type: "date" } },
    },
    { name: "post", key: { post_id: 1 } },
  ],
  told_series: [
    { name: "subscription", key: { subscription_id: 1 } },
    { name: "end", key: { ends_at: 1 }, expireAfterSeconds: INBOX_KEPT_DAYS * DAY_S },
  ],
  pushes: [
    // The index has pushes of a subscription, newest first.
    { name: "number", key: { subscription_id: 1, delivery_id: -1 } },
    // It finds the waiting pushes of a subscription.
    {
      name: "waiting",
      key: { subscription_id: 1, delivery_id: 1 },
      partialFilterExpression: { state: "waiting" },
    },
    // What is due comes first due first; a failing receiver's apart.
    {
      name: "due",
      key: { failing: 1, due_at: 1, delivery_id: 1, origin: 1 },
      partialFilterExpression: { state: "waiting", origin: { $gt: "" } },
    },
    // It finds pushes to prune.
    { name: "age", key: { matched_at: 1 } },
  ],
  reports: [
    // The index has one report for each post and reporter, and all of a post.
    { name: "voice", key: { post_id: 1, reporter: 1 }, unique: true },
    // It finds reports of a publisher, to erase.
    { name: "reporter", key: { reporter: 1 } },
  ],
  // These list the log, of all or of one subject, newest first.
  moderation: [
    { name: "newest", key: { at: -1, _id: -1 } },
    { name: "subject", key: { subject: 1, at: -1, _id: -1 } },
  ],
  windows: [{ name: "end", key: { ends_at: 1 }, expireAfterSeconds: ENDED_S }],
  rankings: [{ name: "end", key: { expires_at: 1 }, expireAfterSeconds: ENDED_S }],
  daily_counters: [],
  settings: [],
  leases: [],
};
