import { isOver } from "../../domain/posts/expiry.ts";
import type { Post } from "../../schema/post.ts";
import { counted } from "../../schema/text.ts";
import { quotedLine, wordOrQuoted } from "./untrusted.ts";

/** Facts of a post, in the words of the board; what third parties wrote is quoted by the caller. */

export const headOf = (post: Post) => `\`${post.id}\` ${post.kind}`;

export function placeOf({ location, distance_km }: Post): string {
  const name = location?.name ?? null;
  const place =
    name !== null && name !== ""
      ? quotedLine(name)
      : typeof location?.lat === "number"
        ? `${location.lat},${location.lng}`
        : "";
  return distance_km === undefined ? place : `${place} ${distance_km} km`.trim();
}

/** The first tags; the rest are counted. */
export function tagsOf(tags: readonly string[], most: number): string {
  const shown = tags.slice(0, most).map((tag) => `#${wordOrQuoted(tag)}`);
  return [...shown, ...(tags.length > most ? [`+${tags.length - most}`] : [])].join(" ");
}

/**
 * What a reader should know before it relies on a post: relayed, answered, a reply, over, flagged. In brief a reply does not
 * name the post it answers: its id begins with it.
 */
export function warningsOf(post: Post, now: number, form: "whole" | "brief"): string[] {
  return [
    ...(post.syndicated ? ["relayed"] : []),
    ...(post.copies === undefined ? [] : [copiesOf(post.copies, form)]),
    ...(post.reply_count > 0 ? [counted(post.reply_count, "reply", "replies")] : []),
    ...(post.parent_id === null ? [] : [form === "brief" ? "reply" : `reply to \`${post.parent_id}\``]),
    ...(isExpired(post, now) ? ["EXPIRED"] : isOver(post, now) ? ["OVER"] : []),
    ...(post.flags.length > 0 ? [`⚠ flags: ${post.flags.join(", ")}`] : []),
  ];
}

/** How often else it was posted, and in full where. */
function copiesOf({ count, ids }: NonNullable<Post["copies"]>, form: "whole" | "brief"): string {
  const first = form === "brief" ? ids.slice(0, 1) : ids;
  const rest = count - first.length;
  const named = first.map((id) => `\`${id}\``).join(" ");
  return `also ${named}${rest === 0 ? "" : ` +${rest}`}`;
}

const isExpired = (post: Post, now: number) => Date.parse(post.expires_at) <= now;
