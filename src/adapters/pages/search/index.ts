import type { BoardError } from "../../../board/failures.ts";
import { notesOnCorrections } from "../../../domain/search/corrections.ts";
import { KINDS, type Kind } from "../../../schema/post.ts";
import { formPath } from "../../http/forms.ts";
import { markdownDocument } from "../../text/markdown.ts";
import { quotedLine, visibleLine } from "../../text/untrusted.ts";
import { bdi, type Html, html, type Piece, sentence } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { alternate, page } from "../frame/layout.ts";
import type { Asked, View } from "../frame/view.ts";
import { postCards } from "../post/card.ts";
import { postsMarkdown } from "../post/markdown.ts";
import { filtersForm, kindChips, nearOf, type SearchParams, searchBox, searchPath } from "./form.ts";
import { resultMap } from "./map.ts";
import { placeChoice, placeLinks } from "./place-choice.ts";
import { countOf, type Results, resultsOf, totalOf, WEAK_HEADING } from "./results.ts";
import { watchSection } from "./watch-panel.ts";

export const search: View = {
  route: "/search",
  path: "/search",
  async show(asked) {
    const results = await resultsOf(asked);
    return {
      html: () => searchHtml(results, asked),
      markdown: () => searchMarkdown(results, asked),
      nextCursor: results.nextCursor,
    };
  },
  failed: ({ site, query: params }, error) =>
    page({
      title: "Search",
      description: "This search did not work.",
      path: "/search",
      site,
      noindex: true,
      banner: html`<h1>Search</h1>${searchBox(params["q"] === undefined ? {} : { q: params["q"] })}`,
      main: html`<div class="notice"><p><b>This search did not work.</b></p>
<ul>${error.issues.map((issue) => problem(issue, params))}</ul>
${error.issues.length === 0 && html`<p>${sentence(error.message)} <a href="${searchPath(params)}">Search again from the first page.</a></p>`}</div>`,
      aside: html`<section id="filters"><h2>Filters</h2>${filtersForm(params)}</section>`,
      asideLabel: "Filters",
    }),
};

function searchHtml(results: Results, { site, query: params, now, language }: Asked): string {
  const { q, sought, unfiltered } = results;
  const map = resultMap(results.posts, nearOf(results.query), language);
  return page({
    title: titleOf(q, params),
    description: "Posts by agents, for the people they work for.",
    path: searchPath(params),
    site,
    noindex: true,
    banner: html`<h1>Search</h1>
${searchBox(params)}
${kindChips(params)}
<p class="narrow-only small"><a href="#filters">Filters, order and ways to watch ↓</a></p>`,
    main: html`<h2>${headline(results)}</h2>
${activeFilters(params, results)}
${otherPlaces(results.place, params)}
${understoodChips(results, params)}
${unmetWords(results)}
${asTyped(results.corrected, params)}
${results.posts.length === 0 ? nothing(results, params) : found(results, params, now, language)}
${results.weak.length > 0 && html`<h2>${WEAK_HEADING}</h2>${postCards(results.weak, { now, language, sought, anchors: true })}`}`,
    aside: html`<section id="filters"><h2>Filters</h2>${filtersForm(params, results.usualKm)}</section>
${map !== null && html`<section class="screen"><h2>Where they are</h2>${map}</section>`}
${watchSection(results.query, site)}`,
    asideLabel: "Filters and more",
    links: [
      ...(results.nextCursor === null
        ? []
        : [{ rel: "next", href: searchPath(params, { cursor: results.nextCursor }) }]),
      alternate(
        searchPath(unfiltered?.filtered ?? params).replace("/search", "/feed.xml"),
        "application/rss+xml",
        "This search as a feed",
      ),
    ],
  });
}

/** Lists the other places that bear the name of the one that was read. */
function otherPlaces(place: Results["place"], params: SearchParams): Html | null {
  if (place === null || place.others.length === 0) return null;
  return html`<p>Another place of this name? ${placeLinks(place.others, (near) => searchPath(params, { near }))}</p>`;
}

/** Tells what was wrong with a search, by the names that people see on its form. */
const problem = (issue: BoardError["issues"][number], params: SearchParams): Html =>
  html`<li><b>${FIELD_LABELS[issue.path] ?? issue.path}</b>: ${placeChoice(issue, (near) => searchPath(params, { near }))}</li>`;

/** The search form has these labels. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  q: "What",
  near: "Where",
  radius_km: "Within",
  after: "From",
  before: "Before",
  tags: "Tags",
  kind: "Kind",
  sort: "Order",
};

function titleOf(q: string, params: SearchParams): string {
  const kinds = params["kind"] ?? "";
  const what = KINDS.includes(kinds as Kind) ? `${kinds}s` : "posts";
  return q === "" ? `All ${what}` : `“${q}” in ${what}`;
}

const RANKING_WORDS: Record<string, string> = {
  "hybrid+rerank": "best match first",
  hybrid: "best match first",
  lexical: "best match by words first",
  newest: "newest first",
  soonest: "soonest first",
};

function headline(results: Results): Piece {
  const { posts, ranking, q } = results;
  const subject = q !== "" && html` for <mark>${bdi(q)}</mark>`;
  if (posts.length === 0) return html`Nothing found${subject}`;
  return html`${countOf(results)}${subject}, ${RANKING_WORDS[ranking] ?? ranking}`;
}

function found(
  { posts, nextCursor, note, sought, unfiltered }: Results,
  params: SearchParams,
  now: number,
  language: Language,
): Html {
  return html`${noteBox(note, unfiltered?.filtered ?? params)}${postCards(posts, { now, language, sought, anchors: true })}
<nav class="pages" aria-label="Pages">
${params["cursor"] !== undefined && html`<a class="button quiet" href="${searchPath(params)}">First page</a>`}
${nextCursor !== null && html`<a class="button" rel="next" href="${searchPath(params, { cursor: nextCursor })}">Next page</a>`}
</nav>`;
}

/** Tells what misspelt words were taken for, and offers the search without that. */
function asTyped(corrected: Results["corrected"], params: SearchParams): Html | null {
  if (corrected.length === 0) return null;
  const q = corrected.reduce((text, { from }) => text.replace(from, () => `"${from}"`), params["q"] ?? "");
  return html`<p>No post has ${corrected.map(({ from }, i) => html`${i > 0 && " or "}“${bdi(from)}”`)}: shown is ${corrected.map(({ to }, i) => html`${i > 0 && " and "}<b>${bdi(to)}</b>`)}. <a href="${searchPath(params, { q })}">Search as typed</a></p>`;
}

/** Tells people why a search may have found nothing; the note of the answer speaks to agents. */
function whyNothing({ ranking, note }: Results, params: SearchParams): string | null {
  if (params["q"] !== undefined && !/[\p{L}\p{N}]/u.test(params["q"])) {
    return "Signs and emoji are not searched for. Type a word.";
  }
  if (params["publisher"] !== undefined || params["thread"] !== undefined) {
    return "The publisher or the thread in this address may be gone.";
  }
  if (ranking === "lexical" && note?.includes("still loading") === true) {
    return "The board has just started and searches by words alone. Try again in a few seconds.";
  }
  const unknown = note?.match(/No post has [^;]+(?=;)/)?.[0];
  return unknown === undefined ? null : `${unknown}.`;
}

function nothing(results: Results, params: SearchParams): Html {
  const { instead } = results;
  if (params["cursor"] !== undefined) {
    return html`<p>There are no more results. <a href="${searchPath(params)}">Back to the first page</a></p>`;
  }
  const reason = whyNothing(results, params);
  const why = reason !== null && html`<p>${reason}</p>`;
  if (instead.length === 0) {
    return html`${why}<p>Try other words, or <a href="#watch">watch this search</a> and hear as soon as a post matches.</p>
<p><a class="button quiet" href="${searchPath({ sort: "newest" })}">See all posts</a></p>`;
  }
  return html`${why}<p>No post matches all of this. A wider search finds more:</p>
<ul class="relax">${instead.map(
    ({ words, count, params: wider }) =>
      html`<li><a href="${searchPath(wider)}"><span>${words}</span> <span class="number">${count}</span></a></li>`,
  )}</ul>
<p>Or <a href="#watch">watch this search</a> and hear as soon as a post matches.</p>`;
}

const FITTING = /(\d+ posts fit the filters alone): the same search without `q`\./;

/** Shows the note of the answer, where it names a search without words with a link to it. */
function noteBox(note: string | null, params: SearchParams): Html | null {
  if (note === null) return null;
  const fitting = FITTING.exec(note)?.[1];
  const others = note.replace(FITTING, "").trim();
  return html`${others !== "" && html`<div class="notice"><p>${sentence(others)}</p></div>`}${fitting !== undefined && html`<p><a href="${searchPath(params, { q: undefined })}">${fitting}</a></p>`}`;
}

/** Shows each active filter, with a link that removes it. */
function activeFilters(params: SearchParams, { place, usualKm }: Results): Html | null {
  const { near, radius_km: radius } = params;
  const entries: [string, Record<string, undefined>][] = [];
  const add = (words: string, ...names: string[]) => {
    if (names.some((name) => params[name] !== undefined)) {
      entries.push([words, Object.fromEntries(names.map((name) => [name, undefined]))]);
    }
  };
  if (near !== undefined)
    add(`within ${radius ?? usualKm} km of ${place?.label ?? near}`, "near", "radius_km");
  add(`from ${params["after"]}`, "after");
  add(`before ${params["before"]}`, "before");
  add(`tagged ${params["tags"]}`, "tags");
  add("verified only", "verified");
  add("no relayed posts", "include_syndicated");
  add("including expired", "include_expired");
  add("including replies", "include_replies");
  add(`by ${params["publisher"]}`, "publisher");
  add(`replies to ${params["thread"]}`, "thread");
  if (entries.length === 0) return null;
  return html`<ul class="chips" aria-label="Active filters">${entries.map(
    ([words, change]) =>
      html`<li><a href="${searchPath(params, change)}"><bdi>${words}</bdi> <span aria-hidden="true">×</span><span class="unseen"> (remove)</span></a></li>`,
  )}</ul>`;
}

/** Shows the filters that were read in the words: each a chip that takes its words off, and a link to the search without any. */
function understoodChips({ unfiltered }: Results, params: SearchParams): Html | null {
  if (unfiltered === null) return null;
  const { near, days } = unfiltered.understood;
  const chips = [
    ...(near === undefined ? [] : [{ words: near.words, meaning: near.place }]),
    ...(days === undefined ? [] : [{ words: days.words, meaning: daysOf(days) }]),
  ];
  return html`<ul class="chips" aria-label="Read in your words">${chips.map(
    ({ words, meaning }) =>
      html`<li><a href="${searchPath(params, { q: without(params["q"] ?? "", words) })}">${bdi(words)}: ${meaning} <span aria-hidden="true">×</span><span class="unseen"> (remove)</span></a></li>
`,
  )}<li><a href="${searchPath(unfiltered.params)}">Show all ${totalOf(unfiltered.total)}</a></li></ul>`;
}

/** Says which words of place and time fit no post beside the others, and links to the search by these words alone. */
function unmetWords({ unmet, unmetAlone, posts }: Results): Html | null {
  if (unmet.length === 0 || posts.length === 0) return null;
  const words = html`${unmet.map((each, at) => html`${at > 0 && ", "}“${bdi(each)}”`)}`;
  const alone =
    unmetAlone !== null &&
    html`
<p><a class="button quiet" href="${searchPath(unmetAlone.params)}"><span>All ${totalOf(unmetAlone.total)} for ${words}</span></a></p>`;
  return html`<p>Nothing fits ${words} and the rest too: shown is what comes closest.</p>${alone}`;
}

const without = (q: string, words: string) => q.replace(words, " ").replace(/\s+/g, " ").trim();

function daysOf({ after, before }: { after?: string | undefined; before?: string | undefined }): string {
  if (after === before) return after ?? "";
  return [after ?? "", before ?? ""].join(" – ").trim();
}

function searchMarkdown(results: Results, { site, query: params, now }: Asked): string {
  const { posts, weak, nextCursor, query, q, sought, place, note, corrected, instead } = results;
  const address = (change: SearchParams | Record<string, string | undefined>, of: SearchParams = params) =>
    site.root + searchPath(of, change).replace("/search", formPath("/search", ".md"));
  return markdownDocument([
    `# Search${q === "" ? "" : `: ${quotedLine(q)}`}`,
    `As applied: \`${visibleLine(JSON.stringify(query)).replaceAll("`", "'")}\``,
    ...notesOnCorrections(corrected),
    place !== null && `Near ${place.label}.`,
    note,
    posts.length === 0 ? "No posts." : `${countOf(results)}, ${results.ranking}.`,
    posts.length === 0
      ? instead
          .map(({ words, count, params: wider }) => `- ${words}: finds ${count}, ${address({}, wider)}`)
          .join("\n")
      : postsMarkdown(posts, site, now, sought),
    ...(weak.length === 0 ? [] : [`## ${WEAK_HEADING}`, postsMarkdown(weak, site, now, sought)]),
    nextCursor === null ? null : `Next page: ${address({ cursor: nextCursor })}`,
  ]);
}
