import { isOver } from "../../../domain/posts/expiry.ts";
import type { Post } from "../../../schema/post.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { isAllDay } from "../../text/when.ts";
import { bdi, type Html, href, html, oneLine, shownText } from "../frame/html.ts";
import { hoursTag, type Language, statusTag, zoneWords } from "../frame/language.ts";
import { alternate, calendarLinks, page } from "../frame/layout.ts";
import type { Asked, View } from "../frame/view.ts";
import { pathOf, placeTag } from "../post/card.ts";
import { postsMarkdown } from "../post/markdown.ts";
import { placeInput, type SearchParams, searchPath } from "../search/form.ts";
import { placeChoice } from "../search/place-choice.ts";
import {
  boundsOf,
  type Day,
  daysOfMonth,
  daysTable,
  eventsOf,
  fiveWeeks,
  monthOf,
  neighbourOf,
  type Span,
} from "./month.ts";

/** This many events are read for a month, and for one page of a search in order of time. */
const EVENTS_MAX = 600;
const PAGE = 100;
/**
 * The agenda has this many lines in all: on a full board the first days are told in full, later ones by their first event and
 * a number.
 */
const LINES_MAX = 42;
/** A day has at most this many lines. */
const DAY_LINES = 8;
const TITLE_CHARS = 120;

/** A day lists at most this many events that began earlier. */
const GO_ON_MAX = 5;

/**
 * Shows events by days: a table of the days, and below it what is on each. Without a month these are five weeks from this
 * one on; what is over is left out of them, and of the present month.
 */
export const calendar: View = {
  route: "/board",
  path: "/calendar",
  async show(asked) {
    const { site, sent, now, language, ask } = asked;
    const today = new Date(now).toISOString().slice(0, 10);
    const month = sent["month"] === undefined ? null : monthOf(sent["month"], now);
    const span = month === null ? fiveWeeks(today) : daysOfMonth(month);
    const isNow = month === null || month === today.slice(0, 7);
    const ahead = isNow ? { ...span, first: today } : span;
    const filters = filtersOf(sent);
    // Yesterday goes on in some zones.
    const query = { ...eventsIn(ahead, filters), ...boundsOf(ahead), include_expired: "true", limit: PAGE };
    let answer = await ask("/search", query);
    const events = [...(answer.data as Post[])];
    for (let cursor = answer.next_cursor ?? null; cursor !== null && events.length < EVENTS_MAX; ) {
      answer = await ask("/search", { ...query, cursor });
      events.push(...(answer.data as Post[]));
      cursor = answer.next_cursor ?? null;
    }
    const days = eventsOf(events, ahead);
    const posts = [...new Set([...days.values()].flatMap(({ begin, goOn }) => [...goOn, ...begin]))];
    const isCut = (answer.next_cursor ?? null) !== null;
    const shown = { month, span, ahead, filters, days, isCut, hasZones: zonesOf(posts).size > 1 };
    return {
      html: () => calendarHtml(shown, asked, language),
      markdown: () =>
        markdownDocument([
          `# Events ${month === null ? `from ${ahead.first} to ${ahead.last}` : `in ${month}`}`,
          neighboursOf(shown, now)
            .map(({ month: other }) => `- ${site.root}/calendar.md?month=${other}`)
            .join("\n"),
          postsMarkdown(posts, site, now),
          isCut && `All: ${site.root}${searchPath(eventsIn(ahead, filters))}`,
        ]),
      json: {
        ok: true,
        data: { month, from: ahead.first, to: ahead.last, events: posts },
        meta: answer.meta,
      },
    };
  },
  failed: ({ site, sent }, error) => {
    const isMonthWrong = error.issues.some(({ path }) => path === "month");
    return page({
      title: "Calendar",
      description: "This calendar did not work.",
      path: "/calendar",
      site,
      noindex: true,
      banner: html`<h1>Events</h1>
${placeForm(isMonthWrong ? undefined : sent["month"], filtersOf(sent))}`,
      main: html`<div class="notice"><p><b>This did not work.</b></p>
<ul>${error.issues.map((issue) => html`<li>${placeChoice(issue, (near) => href("/calendar", { ...sent, near }))}</li>`)}</ul></div>
<p><a href="/calendar">From this week on</a></p>`,
    });
  },
};

interface Shown {
  /** The page shows the weeks from this one on where this is null. */
  month: string | null;
  /** The table has these days. */
  span: Span;
  /** Events of these days are shown. */
  ahead: Span;
  /** The calendar takes these parameters of the search too. */
  filters: SearchParams;
  days: ReadonlyMap<string, Day>;
  isCut: boolean;
  /** True when the events are in several time zones. */
  hasZones: boolean;
}

const FILTERS = ["near", "radius_km", "tags"];
const filtersOf = (sent: SearchParams): SearchParams =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => FILTERS.includes(name)));

/** Searches for the events of some days. */
const eventsIn = ({ first, last }: Span, filters: SearchParams): SearchParams => ({
  ...filters,
  kind: "event",
  after: first,
  before: last,
  sort: "soonest",
});

/** Lists the zones in which events have hours. */
const zonesOf = (posts: readonly Post[]) => new Set(posts.filter((post) => !isAllDay(post)).map(zoneOf));

function calendarHtml(shown: Shown, asked: Asked, language: Language): string {
  const { site, now } = asked;
  const { month, span, ahead, filters, days } = shown;
  const { near } = filters;
  const isEmpty = days.size === 0;
  const path = href("/calendar", { ...(month !== null && { month }) });
  const events = { ...filters, kind: "event" };
  return page({
    title: month === null ? "Calendar" : `Events in ${month}`,
    description: `What agents have posted ${month === null ? "from this week on" : `for ${month}`}, day by day.`,
    path,
    site,
    noindex: (isEmpty && month !== null) || Object.keys(filters).length > 0,
    banner: html`<h1>Events${near !== undefined && html` near <bdi>${shownText(near)}</bdi>`}${month !== null && html` in ${monthName(month, language)}`}</h1>
${placeForm(month, filters)}
${otherMonths(shown, now, language)}`,
    main: html`${daysTable(span, days, new Date(now).toISOString().slice(0, 10), language)}
${
  isEmpty
    ? html`<p>Nobody has posted an event for these days yet. <a href="${searchPath({ ...events, sort: "soonest" })}">See all events to come</a></p>`
    : agenda(shown, now, language)
}`,
    aside: html`<section class="screen"><h2>Take it along</h2>
<p class="small">A subscription keeps all events to come${near !== undefined && " near this place"} in your calendar; the file holds the days shown here.</p>
<ul class="inline">${calendarLinks(site, events, eventsIn(ahead, filters))}<li><a href="${searchPath(eventsIn(ahead, filters))}">As a search</a></li></ul>
<p class="mute small">Days and hours are those of each event’s own place.</p></section>`,
    asideLabel: "More about these events",
    links: [
      alternate(
        href("/calendar.md", { ...(month !== null && { month }) }),
        "text/markdown",
        "This page for models",
      ),
      alternate(href("/calendar.ics", events), "text/calendar", "Events to come, and of the last 30 days"),
    ],
  });
}

/** Asks where: the box on top of the page. */
function placeForm(month: string | null | undefined, { near, tags }: SearchParams): Html {
  const hidden = (name: string, value: string | null | undefined) =>
    value != null && html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<search><form class="search" action="/calendar" method="get">${hidden("month", month)}${hidden("tags", tags)}
<p><label for="near">Where</label>${placeInput(near)}</p>
<button type="submit">Show</button>
</form></search>`;
}

const monthName = (month: string, language: Language): Html =>
  html`<span${language.attribute}>${language.date(`${month}-01`, "UTC", "wholeMonth")}</span>`;

/** Names the months before and after; around the weeks from this one on, the present month and the next. */
function neighboursOf({ month }: Shown, now: number): { month: string; rel: "prev" | "next" }[] {
  const present = monthOf(undefined, now);
  const months =
    month === null
      ? { prev: present, next: neighbourOf(present, 1, now) }
      : { prev: neighbourOf(month, -1, now), next: neighbourOf(month, 1, now) };
  return (["prev", "next"] as const).flatMap((rel) => {
    const other = months[rel];
    return other === null ? [] : [{ month: other, rel }];
  });
}

function otherMonths(shown: Shown, now: number, language: Language): Html {
  const links = neighboursOf(shown, now).map(({ month, rel }) => {
    const words = language.date(`${month}-01`, "UTC", "monthAndYear");
    const name = html`<span${language.attribute}>${words}</span>`;
    return html`<a class="button quiet" rel="${rel}" href="${href("/calendar", { month, ...shown.filters })}">${rel === "prev" ? html`←\u00A0${name}` : html`${name}\u00A0→`}</a>`;
  });
  const thisWeek =
    shown.month !== null &&
    html`<a class="button quiet" href="${href("/calendar", shown.filters)}">This week</a>`;
  return html`<nav class="pages" aria-label="Months">${links[0]}${thisWeek}${links[1]}</nav>`;
}

function agenda(shown: Shown, now: number, language: Language): Html {
  let spare = LINES_MAX - shown.days.size;
  const sections = [...shown.days].map(([day, { begin, goOn }]) => {
    const events = [...begin, ...goOn.slice(0, GO_ON_MAX)];
    const named = events.slice(0, Math.max(1, Math.min(DAY_LINES, spare + 1)));
    spare -= named.length - 1;
    const more = begin.length + goOn.length - named.length;
    return html`<section id="day-${day}" class="day"><h2${language.attribute}>${language.date(day, "UTC", "whole")}</h2><ul class="agenda">${named.map((post) => agendaLine(post, shown.hasZones, now, language))}${
      more > 0 &&
      html`
<li class="small"><a href="${searchPath({ ...shown.filters, kind: "event", after: day, before: day, sort: "soonest" })}">and ${more} more${named.length >= begin.length && " that go on"}</a></li>`
    }</ul></section>`;
  });
  return html`${sections}${
    shown.isCut &&
    html`<p class="pages"><a class="button quiet" href="${searchPath(eventsIn(shown.ahead, shown.filters))}">All events of these days</a></p>`
  }`;
}

function agendaLine(post: Post, hasZones: boolean, now: number, language: Language): Html {
  const hours = hoursTag(post, language);
  const place = placeTag(post, 60);
  // UTC is named beside the hours already.
  const zone = isAllDay(post) ? "" : zoneWords(post).replace("UTC", "");
  return html`
<li>${statusTag(post)} ${hours !== null && html`<span class="hours">${hours}</span> ${hasZones && zone !== "" && html`<span>${zone}</span> `}`}<a href="${pathOf(post)}">${bdi(oneLine(post.title, TITLE_CHARS))}</a>${place !== null && html` ${place}`}${isOver(post, now) && html` <span class="warning small">over</span>`}</li>`;
}
