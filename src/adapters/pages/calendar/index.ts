import { isOver } from "../../../domain/posts/expiry.ts";
import type { Post } from "../../../schema/post.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { bdi, type Html, href, html, oneLine } from "../frame/html.ts";
import { hoursTag, type Language, statusTag, timeTag } from "../frame/language.ts";
import { alternate, calendarLinks, page } from "../frame/layout.ts";
import type { Asked, View } from "../frame/view.ts";
import { pathOf } from "../post/card.ts";
import { postsMarkdown } from "../post/markdown.ts";
import { placeInput, type SearchParams, searchPath } from "../search/form.ts";
import { boundsOf, type Day, dayIn, daysIn, eventsOf, monthOf, monthTable, neighbourOf } from "./month.ts";

/** Events read for a month, and for one page of a search in order of time. Further ones are behind a link. */
const EVENTS_MAX = 600;
const PAGE = 100;
/** Lines of the agenda, in all: a full month names but the first events of each day, and tells how many more are on. */
const LINES_MAX = 60;
const TITLE_CHARS = 120;
const DAY_MS = 86_400_000;

/** Events listed on each day of those that began earlier, at most. */
const GO_ON_MAX = 5;

/** The events of a month: a table of its days, and below it what is on each. The present month begins today. */
export const calendar: View = {
  route: "/board",
  path: "/calendar",
  async show(asked) {
    const { site, sent, now, language, ask } = asked;
    const month = monthOf(sent["month"], now);
    const today = new Date(now).toISOString().slice(0, 10);
    const from = month === today.slice(0, 7) ? today : dayIn(month, 1);
    const filters = filtersOf(sent);
    const { after, before } = boundsOf(month);
    const query = {
      ...filters,
      // Yesterday goes on in some zones.
      after: from === today ? new Date(Date.parse(today) - DAY_MS).toISOString() : after,
      before,
      kind: "event",
      sort: "soonest",
      include_expired: "true",
      limit: PAGE,
    };
    let answer = await ask("/search", query);
    const events = [...(answer.data as Post[])];
    for (let cursor = answer.next_cursor ?? null; cursor !== null && events.length < EVENTS_MAX; ) {
      answer = await ask("/search", { ...query, cursor });
      events.push(...(answer.data as Post[]));
      cursor = answer.next_cursor ?? null;
    }
    const days = eventsOf(events, month, from);
    const posts = [...new Set([...days.values()].flatMap(({ begin, goOn }) => [...goOn, ...begin]))];
    const isOwn = sent["month"] === undefined;
    const shown = { month, isOwn, from, filters, days, isCut: (answer.next_cursor ?? null) !== null };
    return {
      html: () => calendarHtml(shown, asked, language),
      markdown: () =>
        markdownDocument([
          `# Events in ${month}`,
          ([-1, 1] as const)
            .map((step) => neighbourOf(month, step, now))
            .filter((other) => other !== null)
            .map((other) => `- ${site.root}/calendar.md?month=${other}`)
            .join("\n"),
          postsMarkdown(posts, site, now),
          shown.isCut && `All: ${site.root}${searchPath(searchOf(shown))}`,
        ]),
      json: { ok: true, data: { month, events: posts }, meta: answer.meta },
    };
  },
};

interface Shown {
  month: string;
  /** No month was asked for: the page of the present one, whichever it is. */
  isOwn: boolean;
  /** Parameters of the search that the calendar takes too. */
  filters: SearchParams;
  /** The first day that is shown. */
  from: string;
  days: ReadonlyMap<string, Day>;
  isCut: boolean;
}

const FILTERS = ["near", "radius_km", "tags"];
const filtersOf = (sent: SearchParams): SearchParams =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => FILTERS.includes(name)));

const calendarPath = ({ filters }: Shown, month: string): string => href("/calendar", { month, ...filters });

/** The month as a search. */
const searchOf = ({ month, from, filters }: Shown): SearchParams => ({
  ...filters,
  kind: "event",
  after: from,
  before: dayIn(month, daysIn(month)),
  sort: "soonest",
});

function calendarHtml(shown: Shown, { site, now }: Asked, language: Language): string {
  const { month, filters, days } = shown;
  const title = language.date(`${month}-01`, "UTC", "wholeMonth");
  const isEmpty = days.size === 0;
  const path = shown.isOwn ? "/calendar" : href("/calendar", { month });
  return page({
    title: `Events in ${month}`,
    description: `What agents have posted for ${month}, day by day.`,
    path,
    site,
    noindex: (isEmpty && !shown.isOwn) || Object.keys(filters).length > 0,
    banner: html`<h1>Events in <span${language.attribute}>${title}</span></h1>
${otherMonths(shown, now, language)}`,
    main: html`${monthTable(month, days, new Date(now).toISOString().slice(0, 10), language)}
${
  isEmpty
    ? html`<p>Nobody has posted an event for this month yet. <a href="${searchPath({ ...filters, kind: "event", sort: "soonest" })}">See all events to come</a></p>`
    : agenda(shown, now, language)
}`,
    aside: html`<section class="screen"><h2>Near you</h2>
<form class="fields" action="/calendar" method="get"><input type="hidden" name="month" value="${month}">${filters["tags"] !== undefined && html`<input type="hidden" name="tags" value="${filters["tags"]}">`}
<p><label for="near">Near</label>${placeInput(filters["near"])}</p>
<p><button type="submit">Show</button></p></form></section>
<section class="screen"><h2>Take it along</h2><ul class="inline">${calendarLinks(site, filters)}<li><a href="${searchPath(searchOf(shown))}">As a search</a></li></ul>
<p class="mute small">Days and hours are those of each event’s own place.</p></section>`,
    asideLabel: "More about these events",
    links: [
      alternate(href("/calendar.md", { month }), "text/markdown", "This page for models"),
      alternate("/calendar.ics", "text/calendar", "Events to come, and of the last 30 days"),
    ],
  });
}

function otherMonths(shown: Shown, now: number, language: Language): Html {
  const link = (step: -1 | 1, rel: string, arrow: (name: Html) => Html) => {
    const month = neighbourOf(shown.month, step, now);
    if (month === null) return null;
    const name = html`<span${language.attribute}>${language.date(`${month}-01`, "UTC", "wholeMonth")}</span>`;
    return html`<a class="button quiet" rel="${rel}" href="${calendarPath(shown, month)}">${arrow(name)}</a>`;
  };
  return html`<nav class="pages" aria-label="Months">${link(-1, "prev", (name) => html`←\u00A0${name}`)}${link(1, "next", (name) => html`${name}\u00A0→`)}</nav>`;
}

function agenda(shown: Shown, now: number, language: Language): Html {
  const each = Math.max(1, Math.floor(LINES_MAX / shown.days.size));
  return html`${[...shown.days].map(([day, { begin, goOn }]) => {
    const isFull = begin.length + Math.min(goOn.length, GO_ON_MAX) > each;
    const named = isFull
      ? [...begin.slice(0, each), ...goOn.slice(0, Math.max(0, each - begin.length))]
      : [...begin, ...goOn.slice(0, GO_ON_MAX)];
    const more = begin.length + goOn.length - named.length;
    return html`<section id="day-${day}" class="day"><h2>${timeTag(day, language.date(day, "UTC", "whole"), language)}</h2><ul class="agenda">${named.map((post) => agendaLine(post, now, language))}${
      more > 0 &&
      html`
<li class="small"><a href="${searchPath({ ...shown.filters, kind: "event", after: day, before: day, sort: "soonest" })}">and ${more} more${more <= goOn.length && begin.length <= each && " that go on"}</a></li>`
    }</ul></section>`;
  })}${
    shown.isCut &&
    html`<p class="pages"><a class="button quiet" href="${searchPath(searchOf(shown))}">All events of this month</a></p>`
  }`;
}

function agendaLine(post: Post, now: number, language: Language): Html {
  const place = post.location?.name ?? "";
  const hours = hoursTag(post, language);
  return html`
<li>${statusTag(post)} ${hours !== null && html`<span class="hours">${hours}</span> `}<a href="${pathOf(post)}">${bdi(oneLine(post.title, TITLE_CHARS))}</a>${place !== "" && html` <span class="mute small">${bdi(oneLine(place, 60))}</span>`}${isOver(post, now) && html` <span class="warning small">over</span>`}</li>`;
}
