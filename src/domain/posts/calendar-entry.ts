import { BoardError } from "../../failures.ts";
import type { Store } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import { hiddenAmong } from "./hidden.ts";
import type { Posts } from "./index.ts";

/** All that may still be said about a hidden or removed post: that it is cancelled. Times are epoch milliseconds. */
export interface CancelledEntry {
  id: string;
  startsAt: number;
  endsAt: number | null;
  createdAt: number;
  changedAt: number;
}

/**
 * A post as an entry of a calendar, in any state the store knows.
 * @throws BoardError `post_not_found`; `not_found` for a post without dates
 */
export async function calendarEntry(
  id: string,
  parts: { store: Store; posts: Posts },
): Promise<{ post: Post } | { cancelled: CancelledEntry }> {
  const row = await parts.store.posts.get(id);
  if (row === null) throw new BoardError("post_not_found");
  const { startsAt, endsAt, createdAt, updatedAt } = row;
  const isRemoved = row.state === "removed";
  if (isRemoved || (await hiddenAmong(parts.store, [row])).has(id)) {
    if (startsAt === null) throw new BoardError(isRemoved ? "post_not_found" : "post_hidden");
    return { cancelled: { id, startsAt, endsAt, createdAt, changedAt: updatedAt } };
  }
  const [post] = await parts.posts.shown([row]);
  if (post === undefined) throw new BoardError("post_not_found");
  if (startsAt === null) {
    throw new BoardError("not_found", { hint: "This post has no dates, so it is in no calendar." });
  }
  return { post };
}
