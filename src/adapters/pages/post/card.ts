import { isOver } from "../../../domain/posts/expiry.ts";
import type { Kind, Post } from "../../../schema/post.ts";
import type { Publisher } from "../../../schema/publisher.ts";
import { counted } from "../../../schema/text.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { excerptOf, hitRanges } from "../../text/excerpt.ts";
import { clockTimeIn } from "../../text/when.ts";
import { bdi, type Html, html, oneLine, type Piece, shortHost, shownText } from "../frame/html.ts";
import { hoursTag, type Language, timeTag, whenTag } from "../frame/language.ts";

const EXCERPT_CHARS = 240;

/** How the cards of a list are shown. */
export interface CardDisplay {
  /** Stems of the words searched for, from `soughtWords`; excerpts are cut around them. */
  sought?: readonly string[];
  /** Gives each card an `id` to link to. */
  anchors?: true;
  /** Leaves out the publisher, on its own page. */
  ownPage?: true;
  /** Epoch milliseconds; posts that expired earlier say so. */
  now: number;
  /** Of dates and numbers. */
  language: Language;
}

/** Posts as a list of cards, to go below an `h2`. */
export function postCards(posts: readonly Post[], view: CardDisplay): Html {
  return html`<ol class="slips">${posts.map((post) => postCard(post, view))}</ol>`;
}

/** A date stub, the title, a line of facts, and an excerpt. */
function postCard(post: Post, view: CardDisplay): Html {
  return html`
<li class="slip"${view.anchors === true && html` id="${anchorOf(post)}"`}>
<p class="stub">${stub(post, view.now, view.language)}</p>
<article><h3 dir="auto"><a href="${pathOf(post)}">${shownText(post.title)}</a></h3>
<p class="facts">${kindPill(post.kind)}${facts(post, view)}</p>
<p class="snippet" dir="auto">${excerptHtml(post.body, view.sought ?? [])}</p></article>
</li>`;
}

/** An event in two lines: its title; its day, hour and place. */
export function briefCard(post: Post, language: Language): Html {
  const place = post.location?.name ?? "";
  return html`
<li class="k-${post.kind}"><h3 dir="auto"><a href="${pathOf(post)}">${shownText(post.title)}</a></h3>
<p class="facts"><span class="hours">${whenTag(post, language, "dayOfWeek")}</span>${place !== "" && html`<span>${bdi(oneLine(place, 60))}</span>`}${post.distance_km !== undefined && html`<span class="number"${language.attribute}>${distanceText(post.distance_km, language)}</span>`}</p></li>`;
}

export const anchorOf = ({ id }: Post): string => `post-${id}`;
export const pathOf = ({ id }: { id: string }): string => `/p/${id}`;
export const publisherPath = ({ id }: { id: string }): string => `/publishers/${id}`;

export const kindPill = (kind: Kind): Html => html`<span class="kind k-${kind}">${kind}</span>`;

/** `1.2 km`, in whole kilometres from 100 km. */
export const distanceText = (km: number, language: Language): string =>
  `${language.number(km >= 100 ? Math.round(km) : km)} km`;

/** The publisher, with a link, and whether its domain is proved. */
export function byline(publisher: Publisher): Html {
  return html`<span>by\u00a0<a href="${publisherPath(publisher)}">${bdi(publisher.name)}</a>${publisher.verified && html` <span class="verified">✓ verified</span>`}</span>`;
}

/** The day it starts, with the year unless it is this one; else the number of replies; else the day it was posted. */
export function stub(post: Post, now: number, language: Language): Html {
  if (post.starts_at !== null) {
    const zone = zoneOf(post);
    const { day, year } = clockTimeIn(post.starts_at, zone);
    const form = year === String(new Date(now).getUTCFullYear()) ? "month" : "monthAndYear";
    const [month, weekday] = ([form, "weekday"] as const).map((each) =>
      language.date(post.starts_at ?? "", zone, each),
    );
    return html`<b>${day}</b> ${timeTag(post.starts_at, `${month} · ${weekday}`, language)}`;
  }
  if (post.reply_count > 0) {
    return html`<b>${post.reply_count}</b> ${post.reply_count === 1 ? "reply" : "replies"}`;
  }
  return html`<b class="long"${language.attribute}>${language.date(post.created_at, "UTC", "day")}</b> <time datetime="${post.created_at}">posted</time>`;
}

function facts(post: Post, { now, language, ownPage }: CardDisplay): Piece[] {
  const place = post.location?.name ?? null;
  const hours = hoursTag(post, language);
  return [
    Date.parse(post.expires_at) <= now
      ? html`<span class="warning">expired</span>`
      : isOver(post, now) && html`<span class="warning">over</span>`,
    hours !== null && html`<span class="hours">${hours}</span>`,
    place !== null && place !== "" && html`<span>${bdi(oneLine(place, 60))}</span>`,
    post.distance_km !== undefined &&
      html`<span class="number"${language.attribute}>${distanceText(post.distance_km, language)}</span>`,
    ownPage !== true && byline(post.publisher),
    post.parent_id !== null && html`<span>a reply</span>`,
    post.syndicated && html`<span>relayed${relayedFrom(post.source_url)}</span>`,
    post.copies !== undefined && copiesLinks(post.copies),
    post.starts_at !== null &&
      post.reply_count > 0 &&
      html`<span>${counted(post.reply_count, "reply", "replies")}</span>`,
    post.flags.length > 0 && html`<span class="warning">⚠ flagged</span>`,
  ];
}

/** `+2 from the same source: 1 2`, each number a link. */
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
