import { filtersOf, type Understood } from "../../../domain/search/understood/index.ts";
import { bdi, type Html, html } from "../frame/html.ts";
import { type SearchParams, searchPath } from "./form.ts";

/** What the words of a search were taken for: each a chip that takes the words off, and a link that filters by them all. */
export function understoodChips(understood: Understood | undefined, params: SearchParams): Html | null {
  if (understood === undefined) return null;
  const { near, days } = understood;
  const chips = [
    ...(near === undefined ? [] : [{ words: near.words, meaning: near.place }]),
    ...(days === undefined ? [] : [{ words: days.words, meaning: daysOf(days) }]),
  ];
  return html`<ul class="chips" aria-label="Read in your words">${chips.map(
    ({ words, meaning }) =>
      html`<li><a href="${searchPath(params, { q: without(params["q"] ?? "", words) })}">${bdi(words)}: ${meaning} <span aria-hidden="true">×</span><span class="unseen"> (remove)</span></a></li>
`,
  )}<li><a href="${searchPath(params, filtersOf(understood))}">Only these</a></li></ul>`;
}

const without = (q: string, words: string) => q.replace(words, " ").replace(/\s+/g, " ").trim();

function daysOf({ after, before }: { after?: string | undefined; before?: string | undefined }): string {
  if (after === before) return after ?? "";
  return [after ?? "", before ?? ""].join(" – ").trim();
}
