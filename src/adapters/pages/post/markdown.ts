import type { Site } from "../../../domain/site.ts";
import type { Post, PostWithContext } from "../../../schema/post.ts";
import { CONTENT_NOTICE } from "../../calls/envelope.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { mentionedPost, type PostDisplay, shownPost } from "../../text/posts.ts";
import type { Asked } from "../frame/view.ts";

/** Writes a post for a model: the board's own words as Markdown, third-party text in quotes or behind `> `. */
export function postMarkdown(
  page: PostWithContext,
  { note, replies_cursor: cursor }: Readonly<Record<string, unknown>>,
  { site, now }: Asked,
): string {
  const { related, replies, ...post } = page;
  const view: PostDisplay = { sought: [], now, isWhole: true, links: true };
  return markdownDocument([
    `# ${post.kind} \`${post.id}\``,
    CONTENT_NOTICE,
    typeof note === "string" && note,
    shownPost(post, "", view),
    replies.length > 0 &&
      `## Replies, oldest first (${replies.length} of ${Math.max(post.reply_count, replies.length)})`,
    replies.map((reply, i) => shownPost(reply, `${i + 1}. `, { ...view, links: false })).join("\n"),
    typeof cursor === "string" && `More: ${site.api}/posts/${post.id}/replies?cursor=${cursor}`,
    related.length > 0 && "## Related",
    related.map((other, i) => mentionedPost(other, `${i + 1}. `)).join("\n"),
    `Page of a post: ${site.post("{id}")}.md`,
  ]);
}

/** Lists posts for a model, with the notice about third-party text first. */
export function postsMarkdown(
  posts: readonly Post[],
  site: Site,
  now: number,
  sought: readonly string[] = [],
): string {
  if (posts.length === 0) return "None.";
  const view: PostDisplay = { sought, now, isWhole: false, links: false };
  return [
    CONTENT_NOTICE,
    `Page of a post: ${site.post("{id}")}.md`,
    "",
    ...posts.map((post, i) => shownPost(post, `${i + 1}. `, view)),
  ].join("\n");
}
