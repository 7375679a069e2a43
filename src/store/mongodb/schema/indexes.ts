import type { IndexDescription } from "mongodb";
import type { Collections } from "./documents.ts";

type Index = IndexDescription & { name: string };

/**
 * The indexes of each collection beside `_id`. Each query of the store has one here, and `test/mongodb/plans.test.ts` holds
 * it to that. A change takes effect with a new step in `migrations.ts`.
 */
export const INDEXES: Readonly<Record<keyof Collections, readonly Index[]>> = {
  posts: [
    {
      // Replies of a thread, in order, and how many there are.
      name: "thread",
      key: { parent_id: 1, state: 1, created_at: 1, _id: 1, root: 1 },
      partialFilterExpression: { parent_id: { $gt: "" } },
    },
    {
      // Publishers with a reply in a thread, each once. A filter that the key itself answers: no reply has to be read.
      name: "replier",
      key: { parent_id: 1, state: 1, publisher_id: 1, root: 1 },
      partialFilterExpression: { parent_id: { $gt: "" } },
    },
    // A publisher's active posts, newest first.
    { name: "shown", key: { publisher_id: 1, state: 1, created_at: -1, _id: -1 } },
    // Fingerprints, and all posts of a publisher.
    { name: "fingerprint", key: { publisher_id: 1, created_at: -1, _id: -1, fingerprint: 1, root: 1 } },
    // What was removed, to be erased; what expired is found by `live`.
    { name: "removed", key: { removed_at: 1 }, partialFilterExpression: { state: "removed" } },
    // Posts without a vector of a model.
    {
      name: "vector_model",
      key: { vec_model: 1, _id: 1, updated_at: 1, state: 1, root: 1 },
      partialFilterExpression: { state: "active" },
    },
    // Statistics. With the shard key's field in it, a shard need not read a post to know that it is its own.
    { name: "live", key: { state: 1, expires_at: 1, kind: 1, syndicated: 1, root: 1 } },
    { name: "created", key: { created_at: 1, publisher_id: 1, root: 1 } },
  ],
  // What goes with a post.
  post_keys: [{ name: "post", key: { post_id: 1 } }],
  retrievals: [],
  work: [
    // What is due, and how much there is.
    { name: "due", key: { kind: 1, due_at: 1, _id: 1 } },
  ],
  publishers: [
    { name: "key", key: { key_hash: 1 }, unique: true },
    // Proofs to be looked at again.
    {
      name: "check",
      key: { checked_at: 1, _id: 1 },
      partialFilterExpression: { verified_at: { $type: "date" } },
    },
    // Changes that posts have yet to follow.
    { name: "spreading", key: { spreading: 1 }, partialFilterExpression: { spreading: true } },
    // Counts, and erasures to be finished.
    { name: "erasing", key: { erasing: 1 } },
  ],
  inboxes: [],
  inbox: [
    // A publisher's entries, in order.
    { name: "number", key: { publisher_id: 1, no: 1 }, unique: true },
    // Entries to be forgotten.
    { name: "age", key: { at: 1 } },
    // What goes with a post, and with a subscription.
    { name: "post", key: { post_id: 1 } },
    {
      name: "subscription",
      key: { subscription_id: 1 },
      partialFilterExpression: { subscription_id: { $gt: "" } },
    },
  ],
  subscriptions: [
    // A publisher's subscriptions, oldest first.
    { name: "owner", key: { publisher_id: 1, created_at: 1, _id: 1 } },
    { name: "change", key: { change_no: 1 } },
    // Statistics.
    { name: "active", key: { active: 1 } },
  ],
  removed_subscriptions: [
    { name: "change", key: { change_no: 1 } },
    // Those to be purged.
    { name: "unpurged", key: { purged: 1 }, partialFilterExpression: { purged: false } },
  ],
  sequences: [],
  deliveries: [
    // Deliveries of a subscription that are not forgotten, in order.
    {
      name: "number",
      key: { subscription_id: 1, delivery_id: 1 },
      partialFilterExpression: { matched_at: { $type: "date" } },
    },
    // All of a removed subscription, to be purged.
    { name: "subscription", key: { subscription_id: 1, _id: 1 } },
    // Deliveries to be forgotten.
    {
      name: "age",
      key: { matched_at: 1 },
      partialFilterExpression: { matched_at: { $type: "date" } },
    },
    // What goes with a post.
    { name: "post", key: { post_id: 1 } },
  ],
  pushes: [
    // Pushes of a subscription, newest first.
    { name: "number", key: { subscription_id: 1, delivery_id: -1 } },
    // Its waiting ones, the longest due first.
    {
      name: "waiting",
      key: { subscription_id: 1, due_at: 1, delivery_id: 1 },
      partialFilterExpression: { state: "waiting" },
    },
    // Claims that live.
    {
      name: "claimed",
      key: { due_at: 1, claimed_origin: 1, claimed_failing: 1 },
      partialFilterExpression: { token: { $gt: "" } },
    },
    // Pushes to be forgotten.
    { name: "age", key: { matched_at: 1 } },
  ],
  push_queue: [
    { name: "due", key: { due_at: 1 } },
    // When the first of each lane is due.
    { name: "lane", key: { failing: 1, origin: 1, due_at: 1, _id: 1 } },
    // A lane by turn; the time is there so that those not due are passed over without being read.
    { name: "turn", key: { failing: 1, origin: 1, turn: 1, due_at: 1 } },
  ],
  // Lanes to be forgotten.
  push_lanes: [{ name: "turn", key: { turn: 1 } }],
  reports: [
    // One report for each post and reporter.
    { name: "voice", key: { post_id: 1, reporter: 1 }, unique: true },
    // Reporters of a post since a time.
    { name: "since", key: { post_id: 1, created_at: 1 } },
    // Reports of a publisher, to be erased.
    { name: "reporter", key: { reporter: 1 } },
  ],
  // The queue of moderation.
  reported_posts: [{ name: "queue", key: { reporters: -1, last_at: -1, _id: -1 } }],
  // The log, of all or of one subject, newest first.
  moderation: [
    { name: "newest", key: { at: -1, _id: -1 } },
    { name: "subject", key: { subject: 1, at: -1, _id: -1 } },
  ],
  windows: [{ name: "end", key: { ends_at: 1 } }],
  rankings: [{ name: "end", key: { expires_at: 1 } }],
  daily_counters: [],
  settings: [],
  leases: [],
};
