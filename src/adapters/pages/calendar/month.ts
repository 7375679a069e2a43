import { BoardError } from "../../../board/failures.ts";
import { DAY_MS } from "../../../platform/time.ts";
import type { Post } from "../../../schema/post.ts";
import { daysAfter, localDaysOf, weekdayOf } from "../../text/when.ts";
import { type Html, html, type Piece } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";

const MONTH = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/;
/** No zone's clock is further from UTC. */
const ZONE_MS = 14 * 3_600_000;
/** Links lead to this many months before and after the present one. A crawler would follow further ones for ever. */
const LINKED = { before: 12, after: 36 };

/** Names a month as in an address, such as `2026-12`: the one named, else that of `now` in UTC. */
export function monthOf(text: string | undefined, now: number): string {
  if (text === undefined) return new Date(now).toISOString().slice(0, 7);
  if (MONTH.test(text)) return text;
  throw new BoardError("invalid_request", {
    issues: [{ path: "month", code: "custom", message: "Expected a month such as `2026-12`." }],
  });
}

/** Names the month before or after; null where links end. */
export function neighbourOf(month: string, step: -1 | 1, now: number): string | null {
  const neighbour = monthsAfter(month, step);
  const present = monthOf(undefined, now);
  const isLinked =
    neighbour >= monthsAfter(present, -LINKED.before) && neighbour <= monthsAfter(present, LINKED.after);
  return isLinked ? neighbour : null;
}

/** Its days follow each other, such as from `2026-12-01` to `2026-12-31`. */
export interface Span {
  first: string;
  last: string;
}

export const daysOfMonth = (month: string): Span => ({
  first: `${month}-01`,
  last: daysAfter(`${monthsAfter(month, 1)}-01`, -1),
});

/** Spans the week of a day and the four that follow it. */
export function fiveWeeks(today: string): Span {
  const first = daysAfter(today, -daysFromMonday(today));
  return { first, last: daysAfter(first, 5 * WEEK - 1) };
}

/** Bounds a search for whatever is on during these days in any time zone. */
export const boundsOf = ({ first, last }: Span): { after: string; before: string } => ({
  after: new Date(Date.parse(first) - ZONE_MS).toISOString(),
  before: new Date(Date.parse(last) + DAY_MS + ZONE_MS).toISOString(),
});

/** Monday is 0. */
const daysFromMonday = (day: string): number => (weekdayOf(day) + 6) % WEEK;

/** Gives all days, from the first to the last. */
function* daysOf({ first, last }: Span): Generator<string> {
  for (let day = first; day <= last; day = daysAfter(day, 1)) yield day;
}

/** Tells what is on: the events that begin on the day, and those that go on. */
export interface Day {
  begin: Post[];
  goOn: Post[];
}

/** Sorts events by the days of their own time zones, in order of days; those without events are left out. */
export function eventsOf(posts: readonly Post[], span: Span): ReadonlyMap<string, Day> {
  const days = new Map<string, Day>();
  for (const day of daysOf(span)) {
    const on: Day = { begin: [], goOn: [] };
    for (const post of posts) {
      const { first, last } = localDaysOf(post) ?? NEVER;
      if (first === day) on.begin.push(post);
      else if (first < day && last >= day) on.goOn.push(post);
    }
    if (on.begin.length + on.goOn.length > 0) days.set(day, on);
  }
  return days;
}

const NEVER = { first: "", last: "" };

function monthsAfter(month: string, months: number): string {
  const date = new Date(month);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, "YYYY-MM".length);
}

const WEEK = 7;
/** That day was a Monday. */
const MONDAY = Date.parse("2024-01-01");

/**
 * Shows days as a table of weeks from Monday on. A day with events links to them and tells how many are on.
 * @param today  in UTC, such as `2026-12-05`
 */
export function daysTable(
  span: Span,
  days: ReadonlyMap<string, Day>,
  today: string,
  language: Language,
): Html {
  const cells: Piece[] = Array.from({ length: daysFromMonday(span.first) }, () => html`<td></td>`);
  const isOneMonth = span.first.slice(0, 7) === span.last.slice(0, 7);
  for (const day of daysOf(span)) {
    const on = days.get(day);
    const isTold = !isOneMonth && (day === span.first || day.endsWith("-01"));
    const name = isTold
      ? html`<span${language.attribute}>${language.date(day, "UTC", "day")}</span>`
      : html`${Number(day.slice(-2))}`;
    const count = on === undefined ? 0 : on.begin.length + on.goOn.length;
    cells.push(dayCell(name, day, count, day === today, language));
  }
  while (cells.length % WEEK !== 0) cells.push(html`<td></td>`);
  const weeks = Array.from({ length: cells.length / WEEK }, (_, i) => cells.slice(i * WEEK, (i + 1) * WEEK));
  return html`<table class="month"><caption class="unseen">Days, and how many events are on</caption>
<thead><tr>${weekdays(language)}</tr></thead>
<tbody>${weeks.map(
    (week) => html`<tr>${week}</tr>
`,
  )}</tbody></table>`;
}

function dayCell(day: Html, date: string, events: number, isToday: boolean, language: Language): Html {
  const current = isToday && html` aria-current="date"`;
  if (events === 0) return html`<td${current}>${day}</td>`;
  const name = `${language.date(date, "UTC", "spoken")}, ${events} ${events === 1 ? "event" : "events"}`;
  return html`<td${current}><a href="#day-${date}" aria-label="${name}">${day} <span class="number">${events}</span></a></td>`;
}

const weekdays = (language: Language): Html[] =>
  Array.from({ length: WEEK }, (_, i) => {
    const day = new Date(MONDAY + i * DAY_MS).toISOString();
    return html`<th scope="col"${language.attribute}>${language.date(day, "UTC", "weekday")}</th>`;
  });
