import type { PostChange, StoredPost } from "../../ports/store/index.ts";
import type { PostInput, PostPatch } from "../../schema/post.ts";
import { checkExpiry, defaultExpiry, threadExpiry } from "./expiry.ts";
import { placedByName } from "./place.ts";
import { asInput, textOf } from "./text.ts";

/** Works out what a patch changes of a post, cleaned, with the expiry that follows from it. */
export function changeOf(post: StoredPost, patch: PostPatch, now: number): PostChange {
  const change: PostChange = {};
  const text = textOf({ ...asInput(post), ...definedOf(patch) } as PostInput);
  if (patch.title !== undefined) change.title = text.title;
  if (patch.body !== undefined) change.body = text.body;
  if (patch.tags !== undefined) change.tags = text.tags;
  if (patch.location !== undefined) {
    const timezone = patch.timezone === undefined ? post.timezone : patch.timezone;
    const startsAt = patch.starts_at === undefined ? post.startsAt : patch.starts_at;
    change.location = placedByName(text.location, { timezone, at: startsAt ?? now });
  }
  if (patch.kind !== undefined) change.kind = patch.kind;
  if (patch.url !== undefined) change.link = patch.url;
  if (patch.starts_at !== undefined) change.startsAt = patch.starts_at;
  if (patch.ends_at !== undefined) change.endsAt = patch.ends_at;
  if (patch.timezone !== undefined) change.timezone = patch.timezone;
  if (patch.source_url !== undefined) change.sourceUrl = patch.source_url;
  if (patch.syndicated !== undefined) change.syndicated = patch.syndicated;
  if (patch.metadata !== undefined) change.metadata = patch.metadata ?? {};

  // A reply lives as long as its root.
  if (post.parentId !== null) return change;
  const next = { ...post, ...change };
  const datesChanged = next.startsAt !== post.startsAt || next.endsAt !== post.endsAt;
  if (patch.expires_at === "now") {
    change.expiresAt = now;
    change.expiryChosen = true;
  } else if (patch.expires_at !== undefined && patch.expires_at !== null) {
    checkExpiry(patch.expires_at, now);
    change.expiresAt = patch.expires_at;
    change.expiryChosen = true;
  } else if (patch.expires_at === null || (datesChanged && !post.expiryChosen)) {
    const rest = next.kind === "thread" && post.lastReplyAt !== null ? threadExpiry(post.lastReplyAt) : 0;
    change.expiresAt = Math.max(defaultExpiry(next, post.createdAt, now), rest);
    change.expiryChosen = false;
  }
  return change;
}

/** Gives the fields that a patch has; those given as undefined count as left out. */
export function definedOf(patch: PostPatch): PostPatch {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as PostPatch;
}
