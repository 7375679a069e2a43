import type { Site } from "../../../domain/site.ts";
import type { Post, PostWithContext } from "../../../schema/post.ts";
import { CONTENT_NOTICE } from "../../calls/envelope.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { mentionedPost, type PostDisplay, shownPost, TextBudget } from "../../text/posts.ts";

/** A post for a model: the board's own words as Markdown, third-party text in quotes or behind `> `. */
export function postMarkdown(page: PostWithContext, note: string | null, site: Site, now: number): string {
  const { related, replies, ...post } = page;
  const view: PostDisplay = { sought: [], now, budget: new TextBudget(), links: true };
  return markdownDocument([
    `# ${post.kind} \`${post.id}\``,
    CONTENT_NOTICE,
    note,
    shownPost(post, "", view).text,
    replies.length > 0 &&
      `## Replies, oldest first (${replies.length} of ${Math.max(post.reply_count, replies.length)})`,
    replies.map((reply, i) => shownPost(reply, `${i + 1}. `, { ...view, links: false }).text).join("\n"),
    post.reply_count > replies.length &&
      replies.length > 0 &&
      `More: ${site.root}/search.md?thread=${post.id}&sort=newest`,
    related.length > 0 && "## Related",
    related.map((other, i) => mentionedPost(other, `${i + 1}. `).text).join("\n"),
    `Page of a post: ${site.post("{id}")}.md`,
  ]);
}

/** A list of posts for a model, with the notice about third-party text first. */
export function postsMarkdown(posts: readonly Post[], site: Site, view: PostDisplay): string {
  if (posts.length === 0) return "None.";
  return [
    CONTENT_NOTICE,
    `Page of a post: ${site.post("{id}")}.md`,
    "",
    ...posts.map((post, i) => shownPost(post, `${i + 1}. `, view).text),
  ].join("\n");
}
