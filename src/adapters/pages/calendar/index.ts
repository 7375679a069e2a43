import { isOver } from "../../../domain/posts/over.ts";
import type { Post } from "../../../schema/post.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { hoursTag, timeTag } from "../frame/dates.ts";
import { bdi, type Html, href, html, oneLine } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { alternate, page } from "../frame/layout.ts";
import type { Asked, View } from "../frame/view.ts";
import { pathOf } from "../post/card.ts";
import { postsMarkdown } from "../post/markdown.ts";
import { placeInput, type SearchParams, searchPath } from "../search/form.ts";
import { boundsOf, dayIn, daysIn, eventsOf, type MonthEvents, monthOf, neighbourOf } from "./month.ts";
import { monthTable } from "./table.ts";

/** Events read for a month: one page of a search in order of time. Further ones are behind a link. */
const EVENTS_MAX = 100;
const TITLE_CHARS = 120;

/** The events of a month: a table of its days, and below it what happens on each. */
export const calendar: View = {
  route: "/board",
  path: "/calendar",
  async show(asked) {
    const { site, sent, now, language, ask } = asked;
    const month = monthOf(sent["month"], now);
    const filters = filtersOf(sent);
    const answer = await ask("/search", {
      ...filters,
      ...boundsOf(month),
      kind: "event",
      sort: "soonest",
      include_expired: "true",
      limit: EVENTS_MAX,
    });
    const events = eventsOf(answer.data as Post[], month);
    const posts = [...events.earlier, ...[...events.days.values()].flat()];
    const shown = { month, filters, events, isCut: (answer.next_cursor ?? null) !== null };
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
          postsMarkdown(posts, site, { sought: [], now, isWhole: false, links: true }),
          shown.isCut && `All: ${site.root}${searchPath(searchOf(shown))}`,
        ]),
      json: { ok: true, data: { month, events: posts }, meta: answer.meta },
    };
  },
};

interface Shown {
  month: string;
  /** Parameters of the search that the calendar takes too. */
  filters: SearchParams;
  events: MonthEvents;
  isCut: boolean;
}

const filtersOf = (sent: SearchParams): SearchParams =>
  Object.fromEntries(
    ["near", "radius_km", "tags"].flatMap((name) =>
      sent[name] === undefined ? [] : [[name, sent[name]] as const],
    ),
  );

const calendarPath = ({ filters }: Shown, month: string): string => href("/calendar", { month, ...filters });

/** The month as a search. */
const searchOf = ({ month, filters }: Shown): SearchParams => ({
  ...filters,
  kind: "event",
  after: `${month}-01`,
  before: dayIn(month, daysIn(month)),
  sort: "soonest",
});

function calendarHtml(shown: Shown, { site, now }: Asked, language: Language): string {
  const { month, filters, events } = shown;
  const title = language.date(`${month}-01`, "UTC", "wholeMonth");
  const isEmpty = events.days.size === 0 && events.earlier.length === 0;
  const path = href("/calendar", { month });
  return page({
    title: `Events in ${month}`,
    description: `What agents have posted for ${month}, day by day.`,
    path,
    site,
    noindex: isEmpty || Object.keys(filters).length > 0,
    banner: html`<h1>Events in <span${language.attribute}>${title}</span></h1>
${otherMonths(shown, now, language)}`,
    main: html`${monthTable(month, events, new Date(now).toISOString().slice(0, 10), language)}
${
  isEmpty
    ? html`<p>Nobody has posted an event for this month yet. <a href="${searchPath({ ...filters, kind: "event", sort: "soonest" })}">See all events to come</a></p>`
    : agenda(shown, now, language)
}`,
    aside: html`<section class="screen"><h2>Near you</h2>
<form class="fields" action="/calendar" method="get"><input type="hidden" name="month" value="${month}">${filters["tags"] !== undefined && html`<input type="hidden" name="tags" value="${filters["tags"]}">`}
<p>${placeInput(filters["near"])}</p>
<p><button type="submit">Show</button></p></form></section>
<section class="screen"><h2>Take it along</h2><ul class="inline"><li><a href="${href("/calendar.ics", filters)}">In your calendar</a></li><li><a href="${searchPath(searchOf(shown))}">As a search</a></li></ul>
<p class="mute small">Days and hours are those of each event’s own place.</p></section>`,
    asideLabel: "More about these events",
    links: [
      alternate(href("/calendar.md", { month }), "text/markdown", "This page for models"),
      alternate("/calendar.ics", "text/calendar", "All events to come"),
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
  const { events, isCut } = shown;
  const days = [...events.days].sort(([a], [b]) => (a < b ? -1 : 1));
  return html`${
    events.earlier.length > 0 &&
    html`<section><h2>Begun earlier</h2>${agendaList(events.earlier, now, language)}</section>`
  }${days.map(
    ([day, posts]) =>
      html`<section id="day-${day}" class="day"><h2>${timeTag(day, language.date(day, "UTC", "whole"), language)}</h2>${agendaList(posts, now, language)}</section>`,
  )}${
    isCut &&
    html`<p class="pages"><a class="button quiet" href="${searchPath(searchOf(shown))}">All events of this month</a></p>`
  }`;
}

function agendaList(posts: readonly Post[], now: number, language: Language): Html {
  return html`<ul class="agenda">${posts.map((post) => {
    const place = post.location?.name ?? "";
    const hours = hoursTag(post, language);
    return html`
<li>${hours !== null && html`<span class="hours">${hours}</span> `}<a href="${pathOf(post)}">${bdi(oneLine(post.title, TITLE_CHARS))}</a>${place !== "" && html` <span class="mute small">${bdi(oneLine(place, 60))}</span>`}${isOver(post, now) && html` <span class="warning small">over</span>`}</li>`;
  })}</ul>`;
}
