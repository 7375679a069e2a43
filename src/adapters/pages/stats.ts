import type { z } from "zod";
import type { Site } from "../../domain/site.ts";
import type { Metrics as MetricsSchema } from "../../schema/board.ts";
import { counted } from "../../schema/text.ts";
import { markdownDocument, table } from "../text/markdown.ts";
import { wordOrQuoted } from "../text/untrusted.ts";
import { bdi, type Html, html, type Piece } from "./frame/html.ts";
import { ENGLISH, type Language, shortDay, timeTag } from "./frame/language.ts";
import { otherForms, page } from "./frame/layout.ts";
import type { View } from "./frame/view.ts";
import { searchPath } from "./search/form.ts";

type Metrics = z.output<typeof MetricsSchema>;

const CHARTS = [
  { of: "posts", title: "Posts", unit: "posts", one: "post" },
  { of: "searches", title: "Searches", unit: "searches", one: "search" },
  { of: "registrations", title: "Registrations", unit: "new publishers", one: "new publisher" },
] as const;
const DESCRIPTION = "How this board is used, as totals by day: no address, key or query is kept for it.";
const ROWS_MAX = 10;

/** Draws how the board is used: `GET /metrics`. */
export const stats: View = {
  route: "/metrics",
  path: "/stats",
  async show({ site, language, ask }) {
    const metrics = (await ask("/metrics", {})).data as Metrics;
    return {
      html: () => statsHtml(metrics, site, language),
      markdown: () => statsMarkdown(metrics, site),
    };
  },
};

function statsHtml(metrics: Metrics, site: Site, language: Language): string {
  return page({
    title: "Statistics",
    description: DESCRIPTION,
    path: "/stats",
    site,
    links: otherForms("/stats"),
    banner: html`<h1>Statistics</h1>
<p class="lead">${DESCRIPTION}</p>
<dl class="counts">${figuresOf(metrics, language).map(
      ([label, value]) =>
        html`<div><dt>${label}</dt><dd class="number"${language.attribute}>${value}</dd></div>`,
    )}</dl>`,
    main: CHARTS.map(({ of, ...words }) =>
      dayChart(
        of,
        metrics.series_30d.map((day) => ({ day: day.day, value: day[of] })),
        words,
        language,
      ),
    ),
    aside: html`${demandHtml(metrics.unmet_demand, language)}${shares("Kinds", metrics.board.kinds, language)}${shares("Programs that called tools, 30 days", metrics.mcp.clients_30d, language)}${shares("Calls by tool, 7 days", metrics.mcp.tools_7d, language)}
<section><h2>Health</h2><p>${healthOf(metrics, language)}</p></section>`,
    asideLabel: "More figures",
  });
}

/** Gives the figures of the first row, ready to print. */
function figuresOf({ board, north_stars: stars, metrics }: Metrics, language: Language): [string, string][] {
  // An estimate of zero may be -0, which prints its sign.
  const figure = (value: number) => language.number(value + 0);
  return [
    ["Active posts", figure(board.active_posts)],
    ["Posted today", figure(board.posts_today)],
    ["Publishers", figure(board.publishers)],
    ["Wrote this week", figure(stars.weekly_active_publishers)],
    ["Searched this week", `≈ ${figure(stars.weekly_active_seekers)}`],
    ["Searches a day", figure(metrics.searches_per_day_7d)],
  ];
}

function healthOf({ health, metrics }: Metrics, language: Language): string {
  const percent = (rate: number) => `${language.number(Math.round(rate * 1000) / 10)} %`;
  const delivered = metrics.delivery_success_rate_7d;
  return [
    `${language.number(health.requests_7d)} calls in 7 days, ${percent(health.error_rate_7d)} of them failed through a fault of the board.`,
    delivered === null ? "" : `${percent(delivered)} of all attempts to reach a webhook succeeded.`,
  ].join(" ");
}

/** Lists searches that found nothing. Their words are third-party text. */
function demandHtml(demand: Metrics["unmet_demand"], language: Language): Html {
  const links = linksOf(demand);
  const { zero_result_searches_30d: none } = demand;
  return html`<section><h2>Searched in vain, 30 days</h2>
<p>${language.figure(none)} ${none === 1 ? "search" : "searches"} found nothing.${links.length === 0 && " A word appears here once three callers have looked for it in a day."}</p>
${
  links.length > 0 &&
  html`<ul class="chips">${links.map(
    ({ words, path, searches }) =>
      html`<li><a href="${path}">${bdi(words)} <span class="number">${language.figure(searches)}</span></a></li>`,
  )}</ul>
<p class="small mute">Each was looked for by at least three callers in one day. Can you offer it?</p>`
}</section>`;
}

function linksOf({ terms, tags, kinds, places }: Metrics["unmet_demand"]) {
  return [
    ...terms.map(({ term, searches }) => ({ words: term, path: searchPath({ q: term }), searches })),
    ...tags.map(({ tag, searches }) => ({ words: `#${tag}`, path: searchPath({ tags: tag }), searches })),
    ...kinds.map(({ kind, searches }) => ({ words: kind, path: searchPath({ kind }), searches })),
    ...places.map(({ near, searches }) => ({
      words: `near ${near}`,
      path: searchPath({ near, radius_km: "100" }),
      searches,
    })),
  ];
}

function shares(heading: string, counts: Readonly<Record<string, number>>, language: Language): Piece {
  const rows = Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, ROWS_MAX);
  if (rows.length === 0) return null;
  return html`<section><h2>${heading}</h2><table><tbody>${rows.map(
    ([name, count]) =>
      html`<tr><th scope="row">${name}</th><td class="number">${language.figure(count)}</td></tr>
`,
  )}</tbody></table></section>`;
}

function statsMarkdown(metrics: Metrics, site: Site): string {
  const { series_30d: series, unmet_demand: demand } = metrics;
  const missed = linksOf(demand).map(
    ({ words, searches }) => `- ${wordOrQuoted(words)}: ${counted(searches, "search", "searches")}`,
  );
  return markdownDocument([
    "# Statistics",
    DESCRIPTION,
    figuresOf(metrics, ENGLISH)
      .map(([label, value]) => `- ${label}: ${value}`)
      .join("\n"),
    healthOf(metrics, ENGLISH),
    "## By day (UTC)",
    table(
      ["Day", ...CHARTS.map(({ title }) => title), "Searches without result"],
      series.map((day) => [day.day, ...CHARTS.map(({ of }) => String(day[of])), String(day.zero_results)]),
    ),
    "## Searched in vain, 30 days",
    `${counted(demand.zero_result_searches_30d, "search", "searches")} found nothing.`,
    missed.join("\n"),
    `All figures: ${site.api}/metrics`,
  ]);
}

/** The drawing has this many units. It stretches to fit, and its lines keep their width. */
const WIDTH = 600;
const HEIGHT = 160;

/** A UTC day such as `2026-11-20` has this value. */
interface DayValue {
  day: string;
  value: number;
}

/**
 * Draws a value per day as bars, with a scale beside them and a table below: days are counted apart, and a line would show
 * values between them.
 */
function dayChart(
  id: string,
  values: readonly DayValue[],
  words: { title: string; unit: string; one: string },
  language: Language,
): Html {
  const total = values.reduce((sum, { value }) => sum + value, 0);
  const unit = total === 1 ? words.one : words.unit;
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
<desc id="${id}-desc">${language.number(total)} ${unit} in all; most on ${most.day}: ${language.number(most.value)}.</desc>
<path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}"/>
<path class="bar" d="${shapes.join("")}"/></svg>
<div class="days" aria-hidden="true">${days.map((each) => html`<span${language.attribute}>${shortDay(each?.day, language)}</span>`)}</div>
<figcaption>${language.figure(total)} ${unit} in ${values.length} days.</figcaption></figure>
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

/** Finds the next even bound with few digits: 7 → 8, 92 → 92, 1,306 → 1,400. */
function roundUp(value: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, value))) / 5);
  return Math.max(step, Math.ceil(value / step) * step);
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
