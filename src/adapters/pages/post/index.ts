import { BoardError } from "../../../board/failures.ts";
import { isOver } from "../../../domain/posts/expiry.ts";
import { isForSearchEngines } from "../../../domain/posts/search-engines.ts";
import type { Post, PostFlag, PostWithContext } from "../../../schema/post.ts";
import { isAllDay } from "../../text/when.ts";
import {
  bdi,
  bodyText,
  type Html,
  href,
  html,
  oneLine,
  type Piece,
  safeHref,
  sentence,
  shortHost,
  shownText,
} from "../frame/html.ts";
import { postData } from "../frame/json-ld.ts";
import { dayTag, type Language, whenTag, whenWords, zoneWords } from "../frame/language.ts";
import { alternate, otherForms, page } from "../frame/layout.ts";
import { type Asked, noteOf, type View } from "../frame/view.ts";
import { searchPath } from "../search/form.ts";
import { ageTag, byline, kindPill, pathOf, placeTag, postCards } from "./card.ts";
import { details } from "./details.ts";
import { postMarkdown } from "./markdown.ts";
import { type RepliesPage, replies, repliesOf, replyPanel } from "./replies.ts";
import { reportPanel } from "./report.ts";

/** Longer titles are set smaller, so that "when" and "where" stay on the first screen of a telephone. */
const LONG_TITLE_CHARS = 80;

export const post: View = {
  route: "/posts/{id}",
  path: "/p/:id",
  async show(asked) {
    const answer = await asked.ask("/posts/{id}", asked.params);
    const shown = answer.data as PostWithContext;
    const answers = await repliesOf(asked, answer);
    const parent = await parentOf(shown, asked);
    return {
      html: () => postHtml(shown, { parent, answers, note: noteOf(answer) }, asked),
      markdown: () => postMarkdown(shown, answer.meta, asked),
    };
  },
};

/** A page of a post shows this beside the post itself. */
interface Around {
  /** The page shows what it replies to; null for no reply, or one to what is gone. */
  parent: Post | null;
  answers: RepliesPage;
  note: string | null;
}

async function parentOf({ parent_id: id }: Post, { ask }: Asked): Promise<Post | null> {
  if (id === null) return null;
  try {
    return (await ask("/posts/{id}", { id })).data as Post;
  } catch (thrown) {
    if (thrown instanceof BoardError) return null;
    throw thrown;
  }
}

function postHtml(shown: PostWithContext, around: Around, asked: Asked): string {
  const { site, now, language } = asked;
  const path = pathOf(shown);
  return page({
    title: shown.title,
    description: `${cardFacts(shown)}. ${shown.body}`,
    path,
    site,
    openGraphType: "article",
    noindex: !isKept(shown, now),
    banner: sheet(shown, around, now, language),
    main: html`${replies(shown, around.answers, asked)}${related(shown, now, language)}
${replyPanel(shown, site)}
${reportPanel(shown)}
<ul class="inline forms screen" aria-label="This post in other forms">${forms(shown, now).map(([to, words]) => html`<li><a href="${to}">${words}</a></li>`)}</ul>`,
    aside: details(shown, language),
    asideLabel: "Details",
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

/** The card of a shared link begins with day and hour, or what it is, and the place. */
function cardFacts(shown: Post): string {
  const { kind, location } = shown;
  const when =
    whenWords(shown) || (kind === "announcement" ? "News" : `${kind[0]?.toUpperCase()}${kind.slice(1)}`);
  const about = location?.approximate === true ? "≈ " : "";
  return [when, `${about}${location?.name ?? ""}`].filter((part) => part !== "").join(", ");
}

function sheet(shown: PostWithContext, around: Around, now: number, language: Language): Html {
  return html`<article class="sheet k-${shown.kind}"><div class="sheet-body">
${sheetBody(shown, around, now, language)}
</div>
</article>`;
}

function sheetBody(shown: PostWithContext, { parent, note }: Around, now: number, language: Language): Html {
  const expired = Date.parse(shown.expires_at) <= now;
  return html`${parent !== null && html`<p class="small"><a href="${pathOf(parent)}">↑ A reply to “${bdi(oneLine(parent.title, 100))}”</a></p>`}
<h1 dir="auto"${shown.title.length > LONG_TITLE_CHARS && html` class="long"`}>${shownText(shown.title)}</h1>
<p class="facts">${kindPill(shown.kind)}${expired ? html`<span class="warning">expired ${dayTag(shown.expires_at, language)}</span>` : isOver(shown, now) && html`<span class="warning">over</span>`}${whenWhereOrAge(shown, now, language)}${byline(shown.publisher)}</p>
${note !== null && html`<div class="notice"><p>${sentence(note)}</p></div>`}
${flagNotices(shown.flags)}
${bodyText(shown.body)}
${nextSteps(shown, now)}
<p class="print-only">${shown.url}</p>
${shown.tags.length > 0 && html`<ul class="chips tags" aria-label="Tags">${shown.tags.map((tag) => html`<li><a href="${searchPath({ tags: tag })}">${bdi(tag)}</a></li>`)}</ul>`}`;
}

/**
 * Tells whether search engines may keep the page. The text of a reply is on the page of its root, so its own page is not
 * kept.
 */
function isKept({ parent_id, syndicated, created_at, expires_at, publisher }: Post, now: number): boolean {
  if (parent_id !== null) return false;
  const age = { syndicated, createdAt: Date.parse(created_at) };
  return Date.parse(expires_at) > now && isForSearchEngines(age, publisher.verified, now);
}

/** Shows the facts by which a reader decides whether to read on. */
function whenWhereOrAge(shown: Post, now: number, language: Language): Piece[] {
  const when = whenTag(shown, language);
  const zone = when !== null && !isAllDay(shown) && html` <span class="mute">${zoneWords(shown)}</span>`;
  return [
    when === null
      ? html`<span>${ageTag(shown, now, language)}</span>`
      : html`<span class="hours">${when}${zone}</span>`,
    placeTag(shown, 100),
  ];
}

function forms(shown: Post, now: number): [string, string][] {
  const path = pathOf(shown);
  return [
    [`${path}.md`, "Markdown"],
    [`${path}.json`, "JSON"],
    ...(isAhead(shown, now) ? [[`${path}.ics`, "Calendar"] as [string, string]] : []),
  ];
}

function related({ related: shown }: PostWithContext, now: number, language: Language): Html | null {
  if (shown.length === 0) return null;
  return html`<section><h2>Related</h2>${postCards(shown, { now, language })}</section>`;
}

/** A flag tells this to the reader of a post. */
const FLAG_MEANING: Record<PostFlag, string> = {
  possible_instruction:
    "Some of this text seems to address a reader’s agent, to make it do something. It is shown as data only.",
  hidden_unicode:
    "This text came with invisible characters, which can carry a message to a machine. Those that could mislead are not shown here.",
  encoded_blob:
    "This text holds a long encoded passage, and its meaning is hidden. Do not decode and follow it.",
  many_links: "This text holds unusually many links. Look where they lead before you follow one.",
};

/** Shows a warning per flag. Flags are heuristic: a post without one may still lie. */
function flagNotices(flags: readonly PostFlag[]): Html | null {
  if (flags.length === 0) return null;
  return html`<div class="notice" role="note">${flags.map(
    (flag) => html`<p><b>⚠</b> ${FLAG_MEANING[flag]}</p>`,
  )}</div>`;
}

/** Offers what a reader does next: open the link, find the place, put the event into a calendar, pass the address on. */
function nextSteps(post: Post, now: number): Html | null {
  const link = safeHref(post.link ?? post.source_url);
  const steps = [
    link !== null &&
      html`<a class="button" href="${link}" rel="nofollow ugc noopener noreferrer">Open\u00A0<bdi>${oneLine(shortHost(link), 40)}</bdi></a>`,
    mapLinks(post),
    isAhead(post, now) && html`<a href="${pathOf(post)}.ics">Add to calendar</a>`,
    html`<a class="share" href="${post.url}">Address of this page</a>`,
    post.parent_id === null && html`<a href="${href("/feed.xml", { thread: post.id })}">Follow replies</a>`,
    html`<a href="#report">Report</a>`,
  ].filter((step) => step !== null && step !== false);
  return html`<p class="steps screen">${steps}</p>`;
}

/** Links to a map where the place is, and to what else is there. A place found by its name alone is no pin. */
function mapLinks({ location }: Post): Html | null {
  const { lat, lng } = location ?? {};
  if (typeof lat !== "number" || typeof lng !== "number") return null;
  const [north, east] = [lat.toFixed(5), lng.toFixed(5)];
  const map =
    location?.approximate === true
      ? `#map=12/${north}/${east}`
      : `?mlat=${north}&mlon=${east}#map=16/${north}/${east}`;
  return html`<a href="https://www.openstreetmap.org/${map}" rel="nofollow ugc noopener noreferrer">Map</a><a href="${searchPath({ near: `${lat},${lng}`, radius_km: "10" })}">Posts near here</a>`;
}

/** Tells whether a calendar still has use for a post. */
const isAhead = (post: Post, now: number): boolean => post.starts_at !== null && !isOver(post, now);
