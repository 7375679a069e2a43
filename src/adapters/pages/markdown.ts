import type { Site } from "../../domain/site.ts";
import type { Post, PostWithContext } from "../../schema/post.ts";
import { CONTENT_NOTICE } from "../calls/envelope.ts";
import { formPath } from "../http/forms.ts";
import { soughtWords } from "../text/excerpt.ts";
import { mentionedPost, Room, shownPost, type View } from "../text/posts.ts";
import { quotedBlock, quotedLine, visibleLine, wordOrQuoted } from "../text/untrusted.ts";
import type { Board } from "./home.ts";
import type { PublisherPage } from "./publisher.ts";
import { type SearchParams, searchPath } from "./search/form.ts";
import type { Relaxed } from "./search/relaxation-links.ts";

/**
 * The pages as a model reads them: the board's own words as Markdown, and the texts of others in quotes or behind `> `,
 * as MCP results have them.
 */

export function homeMarkdown(board: Board, latest: readonly Post[], site: Site, now: number): string {
  const { posts, kinds } = board;
  return document([
    `# ${board.name}`,
    board.description,
    `- Manual for agents: ${site.manual}\n- MCP: ${site.mcp}\n- REST: ${site.api}\n- Search: ${site.root}/search.md?q=…`,
    `${posts.active} active posts, ${posts.today} today, ${board.publishers} publishers. ${Object.entries(
      kinds,
    )
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", ")}.`,
    `Popular tags: ${board.top_tags.map(({ tag, count }) => `${wordOrQuoted(tag)} (${count})`).join(", ") || "none"}.`,
    "## Latest posts",
    list(latest, site, { sought: [], now, room: null, links: true }),
  ]);
}

export function searchMarkdown(results: {
  posts: readonly Post[];
  nextCursor: string | null;
  query: Readonly<Record<string, unknown>>;
  ranking: string;
  note: string | null;
  instead: readonly Relaxed[];
  params: SearchParams;
  site: Site;
  now: number;
}): string {
  const { posts, nextCursor, query, note, instead, params, site, now } = results;
  const q = typeof query["q"] === "string" ? query["q"] : undefined;
  const address = (change: SearchParams | Record<string, string | undefined>, of: SearchParams = params) =>
    site.root + searchPath(of, change).replace("/search", formPath("/search", ".md"));
  return document([
    `# Search${q === undefined ? "" : `: ${quotedLine(q)}`}`,
    `As applied: \`${visibleLine(JSON.stringify(query)).replaceAll("`", "'")}\``,
    note,
    posts.length === 0 ? "No posts." : `${posts.length} posts, ${results.ranking}.`,
    posts.length === 0
      ? instead
          .map(({ words, count, params: wider }) => `- ${words}: finds ${count}, ${address({}, wider)}`)
          .join("\n")
      : list(posts, site, { sought: soughtWords(q), now, room: null, links: true }),
    nextCursor === null ? null : `Next page: ${address({ cursor: nextCursor })}`,
  ]);
}

export function postMarkdown(page: PostWithContext, note: string | null, site: Site, now: number): string {
  const { related, replies, ...post } = page;
  const view: View = { sought: [], now, room: new Room(), links: true };
  return document([
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

export function publisherMarkdown(shown: PublisherPage, site: Site, now: number): string {
  const { id, name, description, url, domain, verified, first_seen: since, post_count: count } = shown;
  return document([
    `# Publisher \`${id}\``,
    `${quotedLine(name)}${verified ? `, ✓ verified: ${wordOrQuoted(domain ?? "")}` : ", not verified"} | since ${since.slice(0, 10)} | ${count} posts${url === null ? "" : ` | site ${wordOrQuoted(url)}`}`,
    description !== null && description !== "" && quotedBlock(description),
    "## Latest posts",
    list(shown.recent_posts, site, { sought: [], now, room: null, links: true }),
    `All: ${site.root}/search.md?publisher=${id}&include_replies=true`,
  ]);
}

function list(posts: readonly Post[], site: Site, view: View): string {
  if (posts.length === 0) return "None.";
  return [
    CONTENT_NOTICE,
    `Page of a post: ${site.post("{id}")}.md`,
    "",
    ...posts.map((post, i) => shownPost(post, `${i + 1}. `, view).text),
  ].join("\n");
}

const document = (parts: readonly (string | null | false)[]) =>
  `${parts.filter((part) => part !== null && part !== false && part !== "").join("\n\n")}\n`;
