import { isOver } from "../../../domain/posts/expiry.ts";
import type { Kind, Post } from "../../../schema/post.ts";
import type { Publisher } from "../../../schema/publisher.ts";
import { counted } from "../../../schema/text.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { excerptOf, hitRanges } from "../../text/excerpt.ts";
import { clockTimeIn } from "../../text/when.ts";
import { bdi, type Html, html, oneLine, type Piece, shortHost, shownText } from "../frame/html.ts";
import { dayTag, hoursTag, type Language, statusTag, timeTag, whenTag } from "../frame/language.ts";

const EXCERPT_CHARS = 240;

export interface CardDisplay {
  /** These are stems of the words searched for, from `soughtWords`; excerpts are cut around them. */
  sought?: readonly string[];
  /** Gives each card an `id` to link to. */
  anchors?: true;
  /** Leaves out the publisher, on its own page. */
  ownPage?: true;
  /** The time is in epoch milliseconds; posts that expired earlier say so. */
  now: number;
  /** Dates and numbers are written in it. */
  language: Language;
}

/** Shows posts as a list of cards, to go below an `h2`. */
export function postCards(posts: readonly Post[], view: CardDisplay): Html {
  return html`<ol class="slips">${posts.map((post) => postCard(post, view))}</ol>`;
}

/** Shows a date stub, the title, a line of facts, and an excerpt. */
function postCard(post: Post, view: CardDisplay): Html {
  return html`
<li class="slip"${view.anchors === true && html` id="${anchorOf(post)}"`}>
${post.starts_at !== null && html`<p class="stub">${stub(post, view.now, view.language)}</p>`}
<article><h3 dir="auto"><a href="${pathOf(post)}">${shownText(post.title)}</a></h3>
<p class="facts">${postFacts(post, view)}</p>
<p class="snippet" dir="auto">${excerptHtml(post.body, view.sought ?? [])}</p></article>
</li>`;
}

/** Shows an event in two lines: its title; its day, hour and place. */
export function briefCard(post: Post, language: Language): Html {
  return html`
<li class="k-${post.kind}"><h3 dir="auto"><a href="${pathOf(post)}">${shownText(post.title)}</a></h3>
<p class="facts"><span class="hours">${whenTag(post, language, "dayOfWeek")}</span>${placeTag(post, 60)}${distanceTag(post, language)}</p></li>`;
}

export const anchorOf = ({ id }: Post): string => `post-${id}`;
export const pathOf = ({ id }: { id: string }): string => `/p/${id}`;
export const publisherPath = ({ id }: { id: string }): string => `/publishers/${id}`;

export const kindPill = (kind: Kind): Html =>
  html`<span class="kind k-${kind}">${kind === "announcement" ? "news" : kind}</span>`;

/** Shows the name of a place, with a sign where its coordinates are those of the name alone; null without a name. */
export function placeTag({ location }: Post, chars: number): Html | null {
  const name = location?.name ?? "";
  if (name === "") return null;
  const about = location?.approximate === true && html`<span title="Found by its name">≈\u00a0</span>`;
  return html`<span>${about}${bdi(oneLine(name, chars))}</span>`;
}

/** Shows `23 replies`, or null. */
const repliesTag = ({ reply_count: count }: Post): Html | null =>
  count === 0 ? null : html`<span>${counted(count, "reply", "replies")}</span>`;

/** Writes `1.2 km`, in whole kilometres from 100 km. */
export const distanceText = (km: number, language: Language): string =>
  `${language.number(km >= 100 ? Math.round(km) : km)} km`;

/** Tells how far off a post is; in whole kilometres, and none below one, where its place was found by its name. */
function distanceTag({ distance_km: km, location }: Post, language: Language): Html | null {
  if (km === undefined) return null;
  const shown = location?.approximate === true ? Math.round(km) : km;
  if (shown === 0) return null;
  return html`<span class="number"${language.attribute}>${distanceText(shown, language)}</span>`;
}

/** Shows the publisher, with a link, and whether its domain is proved. */
export function byline(publisher: Publisher): Html {
  return html`<span>by\u00a0<a href="${publisherPath(publisher)}">${bdi(publisher.name)}</a>${publisher.verified && html` <span class="verified">✓ verified</span>`}</span>`;
}

/** Shows the day it starts, with the year unless it is this one; null for a post without a start. */
function stub(post: Post, now: number, language: Language): Html | null {
  if (post.starts_at === null) return null;
  const zone = zoneOf(post);
  const { day, year } = clockTimeIn(post.starts_at, zone);
  const form = year === String(new Date(now).getUTCFullYear()) ? "month" : "monthAndYear";
  const [month, weekday] = ([form, "weekday"] as const).map((each) =>
    language.date(post.starts_at ?? "", zone, each),
  );
  return html`<b>${day}</b> ${timeTag(post.starts_at, `${month} · ${weekday}`, language)}`;
}

/** Tells how long ago a post was written: `2 h ago`, `3 days ago`; from a month on, its day. */
export function ageTag({ created_at }: Post, now: number, language: Language): Html {
  const minutes = Math.max(0, Math.floor((now - Date.parse(created_at)) / 60_000));
  if (minutes >= 30 * 1_440)
    return html`<time datetime="${created_at}">${dayTag(created_at, language)}</time>`;
  const days = Math.floor(minutes / 1_440);
  const ago =
    minutes < 1
      ? "just now"
      : minutes < 60
        ? `${minutes} min ago`
        : days < 1
          ? `${Math.floor(minutes / 60)} h ago`
          : `${counted(days, "day")} ago`;
  return html`<time datetime="${created_at}">${ago}</time>`;
}

/** A list says this of a post in one line. */
export function postFacts(post: Post, { now, language, ownPage }: CardDisplay): Piece[] {
  const hours = hoursTag(post, language);
  return [
    kindPill(post.kind),
    Date.parse(post.expires_at) <= now
      ? html`<span class="warning">expired</span>`
      : isOver(post, now) && html`<span class="warning">over</span>`,
    statusTag(post),
    hours !== null && html`<span class="hours">${hours}</span>`,
    post.also_on !== undefined && html`<span>${laterDates(post, post.also_on, language)}</span>`,
    post.starts_at === null && html`<span>${ageTag(post, now, language)}</span>`,
    placeTag(post, 60),
    distanceTag(post, language),
    ownPage !== true && byline(post.publisher),
    post.parent_id !== null && html`<span>a reply</span>`,
    post.syndicated && html`<span>relayed${relayedFrom(post.source_url)}</span>`,
    post.copies !== undefined && copiesLinks(post.copies),
    repliesTag(post),
    post.flags.length > 0 && html`<span class="warning">⚠ flagged</span>`,
  ];
}

/** Shows `also 12 Dec, 19 Dec and 3 more`. */
function laterDates(
  post: Post,
  { starts_at, more }: NonNullable<Post["also_on"]>,
  language: Language,
): Piece[] {
  const days = starts_at.map(
    (start, at) =>
      html`${at === 0 ? "also " : ", "}${timeTag(start, language.date(start, zoneOf(post), "day"), language)}`,
  );
  return [...days, more > 0 && ` and ${more} more`];
}

/** Shows `+2 from the same source: 1 2`, each number a link. */
function copiesLinks({ count, ids }: NonNullable<Post["copies"]>): Html {
  const links = ids.map((id, at) => html` <a href="${pathOf({ id })}">${at + 1}</a>`);
  return html`<span>+${count} from the same source:${links}</span>`;
}

function relayedFrom(source: string | null): Piece {
  return source !== null && html` from ${bdi(oneLine(shortHost(source), 40))}`;
}

function excerptHtml(body: string, sought: readonly string[]): Piece {
  if (sought.length === 0) return oneLine(body, EXCERPT_CHARS);
  const text = shownText(excerptOf(body, sought));
  const pieces: Piece[] = [];
  let end = 0;
  for (const [from, to] of hitRanges(text, sought)) {
    pieces.push(text.slice(end, from), html`<mark>${text.slice(from, to)}</mark>`);
    end = to;
  }
  return [...pieces, text.slice(end)];
}
