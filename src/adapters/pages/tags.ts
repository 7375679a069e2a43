import type { z } from "zod";
import type { Site } from "../../domain/site.ts";
import type { BoardInfo } from "../../schema/board.ts";
import type { Post } from "../../schema/post.ts";
import { markdownDocument } from "../text/markdown.ts";
import { wordOrQuoted } from "../text/untrusted.ts";
import { calendarLinks } from "./frame/calendar-links.ts";
import { bdi, type Html, href, html, shownText } from "./frame/html.ts";
import type { Language } from "./frame/language.ts";
import { alternate, page } from "./frame/layout.ts";
import type { Asked, View } from "./frame/view.ts";
import { postCards } from "./post/card.ts";
import { postsMarkdown } from "./post/markdown.ts";
import { searchBox, searchPath } from "./search/form.ts";

const LATEST = 20;

type TagCounts = z.output<typeof BoardInfo>["top_tags"];

/** `/tags`, the most frequent tags with their counts as `GET /board` has them, and `/tags?tag=music`, the latest posts of one. */
export const tags: View = {
  route: "/board",
  path: "/tags",
  async show(asked) {
    const { site, sent, now, language, ask } = asked;
    const about = await ask("/board", {});
    const counts = (about.data as z.output<typeof BoardInfo>).top_tags;
    const tag = sent["tag"];
    if (tag === undefined) {
      return {
        html: () => tagsHtml(counts, site, language),
        markdown: () => tagsMarkdown(counts, site),
        json: { ok: true, data: { tags: counts }, meta: about.meta },
      };
    }
    const answer = await ask("/search", { tags: tag, sort: "newest", limit: LATEST });
    const posts = answer.data as Post[];
    return {
      html: () => tagHtml(tag, posts, counts, asked),
      markdown: () =>
        markdownDocument([
          `# Posts tagged ${wordOrQuoted(tag)}`,
          postsMarkdown(posts, site, { sought: [], now, isWhole: false, links: true }),
          `All: ${site.root}${searchPath({ tags: tag }).replace("/search", "/search.md")}`,
        ]),
      json: { ok: true, data: { tag, posts }, meta: answer.meta },
    };
  },
};

export const tagPath = (tag: string): string => href("/tags", { tag });

/** Tags as chips, each with the number of its posts and a link to its page. */
export const tagChips = (counts: TagCounts, language: Language): Html =>
  html`<ul class="chips">${counts.map(
    ({ tag, count }) =>
      html`<li><a href="${tagPath(tag)}">${bdi(tag)} <span class="number">${language.figure(count)}</span></a></li>`,
  )}</ul>`;

function tagsHtml(counts: TagCounts, site: Site, language: Language): string {
  return page({
    title: "Tags",
    description: "The words by which posts on this board are filed, the most frequent first.",
    path: "/tags",
    site,
    main: html`<h1>Tags</h1>
<p class="lead">The words by which posts are filed, the most frequent first.</p>
${counts.length === 0 ? html`<p class="mute">No post has a tag yet.</p>` : tagChips(counts, language)}
<p>Another word? Search for it:</p>
${searchBox()}`,
    links: [
      alternate("/tags.md", "text/markdown", "This page for models"),
      alternate("/tags.json", "application/json", "This page as data"),
    ],
  });
}

/** Search engines keep the pages of frequent tags alone: anybody can make up an address with another. */
function tagHtml(tag: string, posts: readonly Post[], counts: TagCounts, asked: Asked): string {
  const { site, now, language } = asked;
  const filter = { tags: tag };
  return page({
    title: `Tagged ${tag}`,
    description: `Latest posts on this board tagged ${tag}.`,
    path: tagPath(tag),
    site,
    noindex: !counts.some((known) => known.tag === tag),
    main: html`<h1>Tagged <bdi>${shownText(tag)}</bdi></h1>
<h2>Latest posts</h2>
${
  posts.length === 0
    ? html`<p>No post has this tag at the moment. <a href="${searchPath({ q: tag })}">Search for the word</a></p>`
    : html`${postCards(posts, { now, language })}
<p class="pages"><a class="button quiet" href="${searchPath(filter)}">Search and filter these posts</a></p>`
}`,
    aside: html`<section class="screen"><h2>Follow</h2><ul class="inline">
<li><a href="${href("/feed.xml", filter)}">RSS</a></li><li><a href="${href("/feed.atom", filter)}">Atom</a></li>
<li><a href="${href("/feed.json", filter)}">JSON Feed</a></li>${calendarLinks(site, filter)}
<li><a href="${href("/calendar", filter)}">Events by month</a></li></ul></section>
${counts.length > 0 && html`<section class="screen"><h2><a href="/tags">Other tags</a></h2>${tagChips(counts, language)}</section>`}`,
    asideLabel: "Following and other tags",
    links: [alternate(href("/feed.xml", filter), "application/rss+xml", "Posts with this tag")],
  });
}

const tagsMarkdown = (counts: TagCounts, site: Site): string =>
  markdownDocument([
    "# Tags",
    counts.length === 0
      ? "No post has a tag yet."
      : counts.map(({ tag, count }) => `- ${wordOrQuoted(tag)}: ${count}`).join("\n"),
    `Posts of one: ${site.root}/tags.md?tag=…`,
  ]);
