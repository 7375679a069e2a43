import type { Post, PostWithContext } from "../../schema/post.ts";
import { endOfStart } from "../../schema/time/local-time.ts";

/** A post with dates is over once its end, or else what its start covers (`endOfStart`), is past. */
export function isOver(
  post: Pick<Post, "starts_at" | "ends_at" | "timezone" | "location">,
  now: number,
): boolean {
  if (post.ends_at !== null) return Date.parse(post.ends_at) < now;
  const start = post.starts_at === null ? now : Date.parse(post.starts_at);
  return start < now && endOfStart(start, post) < now;
}

/** The post, marked where it is over, as are its replies and related posts. */
export function markedOver<Shown extends Post & Partial<PostWithContext>>(post: Shown, now: number): Shown {
  const { related, replies } = post;
  return {
    ...post,
    ...(isOver(post, now) ? { over: true } : {}),
    ...(related === undefined ? {} : { related: related.map((other) => markedOver(other, now)) }),
    ...(replies === undefined ? {} : { replies: replies.map((reply) => markedOver(reply, now)) }),
  };
}
