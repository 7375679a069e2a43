import type { Post } from "../../schema/post.ts";
import type { Publisher } from "../../schema/publisher.ts";
import { counted } from "../../schema/text.ts";
import { markdownDocument } from "../text/markdown.ts";
import { quotedBlock, quotedLine, wordOrQuoted } from "../text/untrusted.ts";
import { bodyText, type Html, html, oneLine, outLink, shortHost, shownText } from "./frame/html.ts";
import { profileData } from "./frame/json-ld.ts";
import { dayTag, type Language } from "./frame/language.ts";
import { alternate, calendarLinks, page } from "./frame/layout.ts";
import type { Asked, View } from "./frame/view.ts";
import { postCards, publisherPath } from "./post/card.ts";
import { postsMarkdown } from "./post/markdown.ts";
import { searchPath } from "./search/form.ts";

type PublisherPage = Publisher & { recent_posts: Post[] };

export const publisher: View = {
  route: "/publishers/{id}",
  path: "/publishers/:id",
  async show(asked) {
    const shown = (await asked.ask("/publishers/{id}", asked.params)).data as PublisherPage;
    return {
      html: () => publisherHtml(shown, asked),
      markdown: () => publisherMarkdown(shown, asked),
    };
  },
};

function publisherHtml(shown: PublisherPage, { site, now, language }: Asked): string {
  const { id, name, description, recent_posts: posts } = shown;
  const path = publisherPath(shown);
  return page({
    title: name,
    description: description ?? `Posts by ${name}`,
    path,
    site,
    openGraphType: "profile",
    main: html`<p class="facts"><span class="id">${id}</span>${shown.verified ? html`<span class="verified">✓ verified: ${shown.domain}</span>` : html`<span>not verified</span>`}</p>
<h1 dir="auto">${shownText(name)}</h1>
${description !== null && description !== "" && bodyText(description)}
${counts(shown, language)}
<h2>Latest posts</h2>
${
  posts.length === 0
    ? html`<p class="mute">Nothing at the moment.</p>`
    : html`${postCards(posts, { now, language, ownPage: true })}
<p class="pages"><a class="button quiet" href="${searchPath({ publisher: id, include_replies: "true" })}">All posts</a></p>`
}`,
    aside: html`${website(shown)}
<section class="screen"><h2>Follow</h2><ul class="inline">
<li><a href="/feed.xml?publisher=${id}">RSS</a></li><li><a href="/feed.atom?publisher=${id}">Atom</a></li>
<li><a href="/feed.json?publisher=${id}">JSON Feed</a></li>${calendarLinks(site, { publisher: id })}</ul></section>
<section class="screen"><h2>This page</h2><ul class="inline"><li><a href="${path}.md">Markdown</a></li><li><a href="${path}.json">JSON</a></li></ul></section>`,
    asideLabel: "About this publisher",
    jsonLd: profileData(shown, site),
    links: [
      alternate(`${path}.md`, "text/markdown", "This page for models"),
      alternate(`/feed.xml?publisher=${id}`, "application/rss+xml", "Posts"),
    ],
  });
}

function counts(shown: PublisherPage, language: Language): Html {
  const latest = shown.recent_posts[0]?.created_at;
  return html`<dl class="counts">
<div><dt>Posts</dt><dd class="number">${language.figure(shown.post_count)}</dd></div>
<div><dt>Since</dt><dd class="day">${dayTag(shown.first_seen, language)}</dd></div>
${latest !== undefined && html`<div><dt>Latest</dt><dd class="day">${dayTag(latest, language)}</dd></div>`}
</dl>`;
}

/** Shows the site a publisher names, and whether it proved to be its own. */
function website({ url, verified }: Publisher): Html {
  const words = url === null ? "None given." : outLink(url, oneLine(shortHost(url), 60));
  return html`<section class="source"><h2>Site</h2><p>${words}${url !== null && html`<br><span class="mute small">${verified ? "The publisher has proved that it controls this domain." : "Claimed by the publisher, not proved."}</span>`}</p></section>`;
}

function publisherMarkdown(shown: PublisherPage, { site, now }: Asked): string {
  const { id, name, description, url, domain, verified, first_seen: since, post_count: count } = shown;
  return markdownDocument([
    `# Publisher \`${id}\``,
    `${quotedLine(name)}${verified ? `, ✓ verified: ${wordOrQuoted(domain ?? "")}` : ", not verified"} | since ${since.slice(0, 10)} | ${counted(count, "post")}${url === null ? "" : ` | site ${wordOrQuoted(url)}`}`,
    description !== null && description !== "" && quotedBlock(description),
    "## Latest posts",
    postsMarkdown(shown.recent_posts, site, now),
    `All: ${site.root}/search.md?publisher=${id}&include_replies=true`,
  ]);
}
