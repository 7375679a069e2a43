import { isOver } from "../../../domain/posts/expiry.ts";
import { isForSearchEngines } from "../../../domain/posts/search-engines.ts";
import type { Site } from "../../../domain/site.ts";
import type { Post, PostWithContext } from "../../../schema/post.ts";
import { whenOf } from "../../text/when.ts";
import { dayTag, whenTag } from "../frame/dates.ts";
import { bdi, bodyText, type Html, html, oneLine, sentence, shownText } from "../frame/html.ts";
import { postData } from "../frame/json-ld.ts";
import type { Language } from "../frame/language.ts";
import { alternate, otherForms, page } from "../frame/layout.ts";
import { noteOf, type View } from "../frame/view.ts";
import { searchPath } from "../search/form.ts";
import { byline, kindPill, pathOf, postCards, stub } from "./card.ts";
import { details } from "./details.ts";
import { flagNotices } from "./flag-notice.ts";
import { postMarkdown } from "./markdown.ts";
import { isAhead, nextSteps } from "./next-steps.ts";
import { replies } from "./replies.ts";
import { replyPanel } from "./reply-panel.ts";
import { reportPanel } from "./report-form.ts";

/** Longer titles are set smaller, so that "when" and "where" stay on the first screen of a telephone. */
const LONG_TITLE_CHARS = 80;

export const post: View = {
  route: "/posts/{id}",
  path: "/p/:id",
  async show({ site, params, now, language, ask }) {
    const answer = await ask("/posts/{id}", params);
    const shown = answer.data as PostWithContext;
    return {
      html: () => postHtml(shown, noteOf(answer), site, now, language),
      markdown: () => postMarkdown(shown, answer.meta, site, now),
    };
  },
};

function postHtml(
  shown: PostWithContext,
  note: string | null,
  site: Site,
  now: number,
  language: Language,
): string {
  const path = pathOf(shown);
  return page({
    title: shown.title,
    description: [cardFacts(shown), shown.body].filter((part) => part !== "").join(". "),
    path,
    site,
    openGraphType: "article",
    noindex: !isKept(shown, now),
    banner: sheet(shown, note, now, language),
    main: html`${replies(shown, language)}${related(shown, now, language)}
${replyPanel(shown, site)}
${reportPanel(shown)}
<ul class="inline forms screen" aria-label="This post in other forms">${forms(shown, now).map(([to, words]) => html`<li><a href="${to}">${words}</a></li>`)}</ul>`,
    aside: details(shown, language),
    asideLabel: "Details",
    asideFirst: true,
    jsonLd: postData(shown),
    links: [
      ...otherForms(path),
      ...(isAhead(shown, now) ? [alternate(`${path}.ics`, "text/calendar", "In your calendar")] : []),
      ...(shown.reply_count === 0
        ? []
        : [alternate(`/feed.xml?thread=${shown.id}`, "application/rss+xml", "Replies")]),
    ],
  });
}

/** What a card of the shared link says first: day, hour and place. */
function cardFacts(shown: Post): string {
  const when = shown.starts_at === null ? "" : whenOf(shown);
  return [when, shown.location?.name ?? ""].filter((part) => part !== "").join(", ");
}

/** The post itself. */
function sheet(shown: PostWithContext, note: string | null, now: number, language: Language): Html {
  const body = sheetBody(shown, note, now, language);
  return html`<article class="sheet k-${shown.kind}"><div class="sheet-body">
${shown.starts_at === null ? body : html`<div class="dated"><p class="stub">${stub(shown, now, language)}</p><div>${body}</div></div>`}
</div>
</article>`;
}

function sheetBody(shown: PostWithContext, note: string | null, now: number, language: Language): Html {
  const expired = Date.parse(shown.expires_at) <= now;
  const { parent_id: parent } = shown;
  return html`<p class="facts">${kindPill(shown.kind)}${isOver(shown, now) && html`<span class="warning">over</span>`}<span class="id">${shown.id}</span><span>posted ${dayTag(shown.created_at, language)}</span><span${expired && html` class="warning"`}>${expired ? "expired" : "expires"} ${dayTag(shown.expires_at, language)}</span>${byline(shown.publisher)}</p>
${parent !== null && html`<p class="small"><a href="${pathOf({ id: parent })}">↑ Reply to another post</a></p>`}
<h1 dir="auto"${shown.title.length > LONG_TITLE_CHARS && html` class="long"`}>${shownText(shown.title)}</h1>
${whenAndWhere(shown, language)}
${nextSteps(shown, now)}
${note !== null && html`<div class="notice"><p>${sentence(note)}</p></div>`}
${flagNotices(shown.flags)}
${bodyText(shown.body)}
${shown.tags.length > 0 && html`<ul class="chips tags" aria-label="Tags">${shown.tags.map((tag) => html`<li><a href="${searchPath({ tags: tag })}">${bdi(tag)}</a></li>`)}</ul>`}`;
}

/** Whether search engines may keep the page. That of a reply they may not: its text is on the page of its root. */
function isKept({ parent_id, syndicated, created_at, expires_at, publisher }: Post, now: number): boolean {
  if (parent_id !== null) return false;
  const age = { syndicated, createdAt: Date.parse(created_at) };
  return Date.parse(expires_at) > now && isForSearchEngines(age, publisher.verified, now);
}

/** The line below the title that decides whether to read on. */
function whenAndWhere(shown: Post, language: Language): Html | null {
  const when = whenTag(shown, language);
  const name = shown.location?.name ?? "";
  if (when === null && name === "") return null;
  return html`<p class="when-where">${when}${when !== null && name !== "" && " · "}${name !== "" && bdi(oneLine(name, 100))}</p>`;
}

function forms(shown: Post, now: number): [string, string][] {
  const path = pathOf(shown);
  return [
    [`${path}.md`, "Markdown"],
    [`${path}.json`, "JSON"],
    ...(isAhead(shown, now) ? [[`${path}.ics`, "Calendar"] as [string, string]] : []),
    ["#reply", "Reply"],
    ["#report", "Report"],
  ];
}

function related({ related: shown }: PostWithContext, now: number, language: Language): Html | null {
  if (shown.length === 0) return null;
  return html`<section><h2>Related</h2>${postCards(shown, { now, language })}</section>`;
}
