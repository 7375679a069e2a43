import { BoardError } from "../../../failures.ts";
import type { Post } from "../../../schema/post.ts";
import { localDaysOf } from "../../text/when.ts";
import { type Html, html, type Piece } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";

const MONTH = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/;
/** No zone's clock is further from UTC. */
const ZONE_MS = 14 * 3_600_000;
const DAY_MS = 86_400_000;
/** Months before and after the present one to which links lead. A crawler would follow further ones for ever. */
const LINKED = { before: 12, after: 36 };

/**
 * A month as in an address, such as `2026-12`: the one named, else that of `now` in UTC.
 * @throws BoardError  invalid_request for any other text
 */
export function monthOf(text: string | undefined, now: number): string {
  if (text === undefined) return new Date(now).toISOString().slice(0, 7);
  if (MONTH.test(text)) return text;
  throw new BoardError("invalid_request", {
    issues: [{ path: "month", code: "custom", message: "Expected a month such as `2026-12`." }],
  });
}

/** The month before or after; null where links end. */
export function neighbourOf(month: string, step: -1 | 1, now: number): string | null {
  const neighbour = monthsAfter(month, step);
  const present = monthOf(undefined, now);
  const isLinked =
    neighbour >= monthsAfter(present, -LINKED.before) && neighbour <= monthsAfter(present, LINKED.after);
  return isLinked ? neighbour : null;
}

/** Bounds of a search for whatever is on in the month in any time zone. */
export function boundsOf(month: string): { after: string; before: string } {
  const from = Date.parse(`${month}-01`);
  const to = from + daysIn(month) * DAY_MS;
  return {
    after: new Date(from - ZONE_MS).toISOString(),
    before: new Date(to + ZONE_MS).toISOString(),
  };
}

export const daysIn = (month: string): number =>
  (Date.parse(monthsAfter(month, 1)) - Date.parse(month)) / DAY_MS;

/** The day of the week on which the month begins, 0 for Monday. */
const firstWeekday = (month: string): number => (new Date(`${month}-01`).getUTCDay() + 6) % 7;

export const dayIn = (month: string, day: number): string => `${month}-${String(day).padStart(2, "0")}`;

/** What is on a day: the events that begin on it, and those that go on. */
export interface Day {
  begin: Post[];
  goOn: Post[];
}

/**
 * The events of a month by the days of their own time zones, in order of days; those without events are left out.
 * @param from  the first day that counts, such as `2026-12-05`
 */
export function eventsOf(posts: readonly Post[], month: string, from: string): ReadonlyMap<string, Day> {
  const days = new Map<string, Day>();
  for (let day = 1; day <= daysIn(month); day += 1) {
    const date = dayIn(month, day);
    if (date < from) continue;
    const on: Day = { begin: [], goOn: [] };
    for (const post of posts) {
      const { first, last } = localDaysOf(post) ?? NEVER;
      if (first === date) on.begin.push(post);
      else if (first < date && last >= date) on.goOn.push(post);
    }
    if (on.begin.length + on.goOn.length > 0) days.set(date, on);
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
/** A Monday. */
const MONDAY = Date.parse("2024-01-01");

/**
 * The days of a month as a table of weeks from Monday on. A day with events links to them and tells how many are on.
 * @param today  in UTC, such as `2026-12-05`
 */
export function monthTable(
  month: string,
  days: ReadonlyMap<string, Day>,
  today: string,
  language: Language,
): Html {
  const cells: Piece[] = Array.from({ length: firstWeekday(month) }, () => html`<td></td>`);
  for (let day = 1; day <= daysIn(month); day += 1) {
    const date = dayIn(month, day);
    const on = days.get(date);
    cells.push(
      dayCell(day, date, on === undefined ? 0 : on.begin.length + on.goOn.length, date === today, language),
    );
  }
  while (cells.length % WEEK !== 0) cells.push(html`<td></td>`);
  const weeks = Array.from({ length: cells.length / WEEK }, (_, i) => cells.slice(i * WEEK, (i + 1) * WEEK));
  return html`<table class="month"><caption class="unseen">Days of the month, and how many events are on</caption>
<thead><tr>${weekdays(language)}</tr></thead>
<tbody>${weeks.map(
    (week) => html`<tr>${week}</tr>
`,
  )}</tbody></table>`;
}

function dayCell(day: number, date: string, events: number, isToday: boolean, language: Language): Html {
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
