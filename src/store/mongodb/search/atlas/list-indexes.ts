import type { IndexDescription } from "mongodb";

/** The index whose keys hold what most filters compare. */
export const COUNTED_BY = "list_soonest";
/** The index that has the posts of each tag in order. */
export const NEWEST_BY_TAG = "list_tags_newest";
/** Lists hold active posts only. */
const ACTIVE = { partialFilterExpression: { state: "active" } } as const;

/**
 * Indexes of `posts` for lists by filters alone, beside those of the store (`shown` for a publisher's posts, `thread` for a
 * thread's). Only boards that mongot searches have them. A changed index takes a new name, since processes of two releases may
 * be at work.
 */
export const LIST_INDEXES: readonly (IndexDescription & { name: string })[] = [
  { name: "list_newest", key: { is_reply: 1, kind: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  { name: NEWEST_BY_TAG, key: { tags: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  {
    // The key alone shows what is over or suspended: those posts are not read, and counting reads none at all.
    name: COUNTED_BY,
    key: { is_reply: 1, kind: 1, win_start: 1, _id: 1, win_end: 1, expires_at: 1, pub_suspended: 1 },
    ...ACTIVE,
  },
  // Its keys are in the order of places, so the server sorts what it finds.
  { name: "list_geo", key: { is_reply: 1, kind: 1, geo: "2dsphere", win_end: 1, win_start: 1 }, ...ACTIVE },
  {
    name: "list_source",
    key: { source: 1 },
    partialFilterExpression: { state: "active", source: { $type: "string" } },
  },
  // What mongot may not know yet.
  { name: "list_changed", key: { updated_at: -1 }, ...ACTIVE },
];
