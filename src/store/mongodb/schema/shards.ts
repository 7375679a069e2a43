import type { Collections } from "./collections.ts";

/** The shard keys of what grows or is written with each answer; everything else stays on one shard. */
export const SHARD_KEYS: Readonly<Partial<Record<keyof Collections, Record<string, "hashed">>>> = {
  posts: { root: "hashed" },
  deliveries: { subscription_id: "hashed" },
  retrievals: { _id: "hashed" },
};

/**
 * Unsharded collections that an operator may move to another shard, all of them or none: saved queries with their pushes and
 * inboxes. They are written together with each delivery; the others, such as `publishers` and `work`, with each post. A push's
 * claim and end rely on it: writes that one member has are held by a majority once a later one to the same shard is.
 *
 * In the order of moving. With `subscriptions` before `push_queue`, mongos 8.2 would refuse to settle failed pushes until both
 * have moved (see `APART`).
 */
export const MOVED_TOGETHER: readonly [keyof Collections, ...(keyof Collections)[]] = [
  "push_queue",
  "subscriptions",
  "pushes",
  "push_origins",
  "sequences",
  "removed_subscriptions",
  "inboxes",
  "inbox",
];
