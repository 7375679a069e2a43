import type { DayValue } from "./charts.ts";
import { shortDay } from "./dates.ts";
import { type Html, html } from "./html.ts";
import type { Language } from "./language.ts";

const WIDTH = 272;
const HEIGHT = 84;
const TOP = 14;
const BASE = 66;

/** A bar per day: the tallest has its figure, the first and the last their day. */
export function bars(
  values: readonly DayValue[],
  words: { title: string; description: string },
  language: Language,
): Html {
  const most = Math.max(1, ...values.map(({ value }) => value));
  const step = WIDTH / Math.max(1, values.length);
  const peak = values.findIndex(({ value }) => value === most);
  const shapes = values.map(({ day, value }, i) => {
    const height = Math.max(value === 0 ? 0 : 2, ((BASE - TOP) * value) / most);
    return html`<rect x="${(i * step + 1.5).toFixed(1)}" y="${(BASE - height).toFixed(1)}" width="${(step - 3).toFixed(1)}" height="${height.toFixed(1)}"><title>${day}: ${value}</title></rect>
`;
  });
  return html`<figure class="bars"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words.title}: ${words.description}">
${shapes}<path class="base" d="M0 ${BASE + 0.5}h${WIDTH}"/>
${peak >= 0 && html`<text x="${peakX(peak, step)}" y="${TOP - 4}" text-anchor="${anchorAt(peak, values.length)}"${language.attribute}>${language.number(most)}</text>`}
<text x="0" y="${BASE + 14}"${language.attribute}>${shortDay(values[0]?.day, language)}</text><text x="${WIDTH}" y="${BASE + 14}" text-anchor="end"${language.attribute}>${shortDay(values.at(-1)?.day, language)}</text></svg>
<figcaption>${words.description}</figcaption></figure>`;
}

const peakX = (peak: number, step: number) => ((peak + 0.5) * step).toFixed(1);
const anchorAt = (peak: number, count: number) =>
  peak === 0 ? "start" : peak === count - 1 ? "end" : "middle";
