import { BoardError } from "../../failures.ts";
import type { PostStore } from "../../ports/store/index.ts";
import { DAY_MS, HOUR_MS } from "../time.ts";
import { nearIdentical } from "./fingerprint.ts";

/** The post that would be the fifth near-identical one within an hour is refused. */
const STORM_POSTS = 5;
/** Of the publisher's posts of the last 30 days, at most this many are compared. */
const FINGERPRINTS_MAX = 500;
/** Among many near-duplicates only the latest few are searched for one to edit. */
const NOTED_MAX = 20;

/** A post of the same publisher that says nearly the same; it may have been removed since. */
export interface NearDuplicate {
  id: string;
  createdAt: number;
}

/** Near-duplicates of a fingerprint among a publisher's own posts, newest first. */
export async function nearDuplicates(
  posts: PostStore,
  publisherId: string,
  print: string,
  now: number,
): Promise<NearDuplicate[]> {
  const earlier = await posts.fingerprints(publisherId, now - 30 * DAY_MS, FINGERPRINTS_MAX);
  return earlier.filter((post) => nearIdentical(post.fingerprint, print));
}

/** @throws BoardError `duplicate_storm` when one more would be the fifth within an hour */
export function refuseStorm(near: readonly NearDuplicate[], now: number): void {
  const inLastHour = near.filter((post) => post.createdAt > now - HOUR_MS);
  if (inLastHour.length < STORM_POSTS - 1) return;
  const oldest = Math.min(...inLastHour.slice(0, STORM_POSTS - 1).map((post) => post.createdAt));
  throw new BoardError("duplicate_storm", { retryAfterS: Math.ceil((oldest + HOUR_MS - now) / 1000) });
}

/** A note to the writer when one of their earlier posts still exists and says nearly the same. */
export async function noteOnDuplicates(posts: PostStore, near: readonly NearDuplicate[]): Promise<string[]> {
  if (near.length === 0) return [];
  const rows = await posts.many(near.slice(0, NOTED_MAX).map(({ id }) => id));
  const there = rows.find(({ state }) => state !== "removed");
  if (there === undefined) return [];
  return [
    `Nearly the same as your post ${there.id}; consider editing that one instead (PATCH /posts/${there.id}).`,
  ];
}
