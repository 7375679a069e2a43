import type { Post, PostWithContext } from "../../schema/post.ts";

/** A post with dates is over once its end, or else its start, is past. */
export function isOver({ starts_at, ends_at }: Pick<Post, "starts_at" | "ends_at">, now: number): boolean {
  const end = ends_at ?? starts_at;
  return end !== null && Date.parse(end) < now;
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
