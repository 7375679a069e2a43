import { type Html, html, type Piece } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { type Day, dayIn, daysIn, firstWeekday } from "./month.ts";

const WEEK = 7;
/** A Monday. */
const MONDAY = Date.parse("2024-01-01");
const DAY_MS = 86_400_000;

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
    cells.push(dayCell(day, date, on === undefined ? 0 : on.begin.length + on.goOn.length, date === today));
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

function dayCell(day: number, date: string, events: number, isToday: boolean): Html {
  const current = isToday && html` aria-current="date"`;
  if (events === 0) return html`<td${current}>${day}</td>`;
  return html`<td${current}><a href="#day-${date}">${day} <span class="number">${events}</span><span class="unseen"> ${events === 1 ? "event" : "events"}</span></a></td>`;
}

const weekdays = (language: Language): Html[] =>
  Array.from({ length: WEEK }, (_, i) => {
    const day = new Date(MONDAY + i * DAY_MS).toISOString();
    return html`<th scope="col"${language.attribute}>${language.date(day, "UTC", "weekday")}</th>`;
  });
