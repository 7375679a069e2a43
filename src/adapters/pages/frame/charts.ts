import { shortDay, timeTag } from "./dates.ts";
import { type Html, html } from "./html.ts";
import type { Language } from "./language.ts";

/** Units of the drawing. It stretches to fit, and its lines keep their width. */
const WIDTH = 600;
const HEIGHT = 160;

/** The value of a UTC day such as `2026-11-20`. */
export interface DayValue {
  day: string;
  value: number;
}

/**
 * A value per day as bars, with a scale beside them and a table below: days are counted apart, and a line would show
 * values between them. The scale is text of the page, not of the drawing, and so stays readable at any width.
 *
 * @param id  unique on the page
 * @param values  oldest first, at least one
 * @param words.unit  what is counted, in the plural
 */
export function dayChart(
  id: string,
  values: readonly DayValue[],
  words: { title: string; unit: string },
  language: Language,
): Html {
  const total = values.reduce((sum, { value }) => sum + value, 0);
  const top = roundUp(Math.max(...values.map(({ value }) => value)));
  const most = values.reduce((best, each) => (each.value > best.value ? each : best));
  const step = WIDTH / values.length;
  const shapes = values.flatMap(({ value }, i) =>
    value === 0
      ? []
      : `M${(i * step + step * 0.1).toFixed(1)} ${HEIGHT}v${((-value / top) * HEIGHT).toFixed(1)}h${(step * 0.8).toFixed(1)}V${HEIGHT}Z`,
  );
  const days = [values[0], values[Math.floor(values.length / 2)], values.at(-1)];
  return html`<section><h2 id="${id}">${words.title}</h2>
<figure class="chart"><div class="scale" aria-hidden="true"><span>${language.figure(top)}</span><span>${language.figure(top / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${words.title}, last ${values.length} days</title>
<desc id="${id}-desc">${language.number(total)} ${words.unit} in all; most on ${most.day}: ${language.number(most.value)}.</desc>
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
<path class="bar" d="${shapes.join("")}"/></svg>
<div class="days" aria-hidden="true">${days.map((each) => html`<span${language.attribute}>${shortDay(each?.day, language)}</span>`)}</div>
<figcaption>${language.figure(total)} ${words.unit} in ${values.length} days.</figcaption></figure>
<details><summary>${words.title} as a table</summary><table><thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="number">${capital(words.unit)}</th></tr></thead><tbody>${[
    ...values,
  ]
    .reverse()
    .map(
      ({
        day,
        value,
      }) => html`<tr><td>${timeTag(day, language.date(day, "UTC", "whole"), language)}</td><td class="number">${language.figure(value)}</td></tr>
`,
    )}</tbody></table></details></section>
`;
}

/** The next even bound with few digits: 7 → 8, 92 → 92, 1,306 → 1,400. */
function roundUp(value: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, value))) / 5);
  return Math.max(step, Math.ceil(value / step) * step);
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
