import { type Advice, BoardError } from "../../../failures.ts";
import type { InsertGuard, PostStore } from "../../../ports/store/index.ts";
import { DAY_MS, HOUR_MS } from "../../time.ts";
import { adviceToEdit } from "../advice.ts";
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

/**
 * Finds near-duplicates of a fingerprint among a publisher's own posts, and refuses the post that would be the fifth
 * within an hour. The store asks inside the write, so posts that are sent at once count each other.
 *
 * @param options.relayed  see `Writing.create`: none is refused
 * @returns a guard that throws BoardError `duplicate_storm`, and what it found, newest first
 */
export function stormGuard(
  print: string,
  now: number,
  { relayed = false }: { relayed?: boolean } = {},
): { guard: InsertGuard; found: () => readonly NearDuplicate[] } {
  let near: readonly NearDuplicate[] = [];
  const guard: InsertGuard = {
    since: now - 30 * DAY_MS,
    limit: FINGERPRINTS_MAX,
    check(earlier) {
      near = earlier.filter((post) => nearIdentical(post.fingerprint, print));
      const oldest = near.filter(({ createdAt }) => createdAt > now - HOUR_MS)[STORM_POSTS - 2];
      if (oldest === undefined || relayed) return;
      const retryAfterS = Math.max(1, Math.ceil((oldest.createdAt + HOUR_MS - now) / 1000));
      const hint = adviceToEdit(
        near[0]?.id ?? oldest.id,
        (call) => `Change the post that is there: ${call}; or wait until an hour has passed.`,
      );
      throw new BoardError("duplicate_storm", { retryAfterS, hint });
    },
  };
  return { guard, found: () => near };
}

/** A note to the writer when one of their earlier posts still exists and says nearly the same. */
export async function noteOnDuplicates(posts: PostStore, near: readonly NearDuplicate[]): Promise<Advice[]> {
  if (near.length === 0) return [];
  const rows = await posts.many(near.slice(0, NOTED_MAX).map(({ id }) => id));
  const there = rows.find(({ state }) => state !== "removed");
  if (there === undefined) return [];
  return [
    adviceToEdit(
      there.id,
      (call) => `Nearly the same as your post ${there.id}; consider changing that one instead: ${call}.`,
    ),
  ];
}
