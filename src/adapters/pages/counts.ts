import { markdownDocument } from "../text/markdown.ts";
import { wordOrQuoted } from "../text/untrusted.ts";
import { bdi, type Html, html } from "./frame/html.ts";
import type { Language } from "./frame/language.ts";
import { type BoardData, boardPage, type View } from "./frame/view.ts";
import { placeInput, searchBox, searchPath } from "./search/form.ts";

/** Names something that posts have in common, tells how many have it, and has the search that finds them. */
export interface Counted {
  name: string;
  count: number;
  to: string;
}

export const countedTags = ({ top_tags: counts }: BoardData): Counted[] =>
  counts.map(({ tag, count }) => ({ name: tag, count, to: searchPath({ tags: tag }) }));

export const countedPlaces = ({ top_places: counts }: BoardData): Counted[] =>
  counts.map(({ place, count }) => ({ name: place, count, to: searchPath({ near: place }) }));

/** Shows each with the number of its posts and a link to them. */
export const countChips = (counts: readonly Counted[], language: Language): Html =>
  html`<ul class="chips">${counts.map(
    ({ name, count, to }) =>
      html`<li><a href="${to}">${bdi(name)} <span class="number">${language.figure(count)}</span></a></li>
`,
  )}</ul>`;

/** Shows `/tags`, the most frequent tags as `GET /board` has them. */
export const tags = viewOf({
  path: "/tags",
  title: "Tags",
  lead: "The words by which posts are filed, the most frequent first.",
  none: "No post has a tag yet.",
  member: "top_tags",
  counted: countedTags,
  more: html`<p>Another word? Search for it:</p>
${searchBox()}`,
});

/** Shows `/places`, the towns with the most posts. */
export const places = viewOf({
  path: "/places",
  title: "Places",
  lead: "Where posts are, the towns with the most first. Each post counts for the largest town within 20 km.",
  none: "No post has a place yet.",
  member: "top_places",
  counted: countedPlaces,
  more: html`<h2>Another place</h2>
<form class="fields" action="/search" method="get">
<p><label for="near">Near</label>${placeInput()}</p>
<p><button type="submit">Search near it</button></p>
</form>`,
});

function viewOf(of: {
  path: "/tags" | "/places";
  title: string;
  lead: string;
  none: string;
  member: "top_tags" | "top_places";
  counted(board: BoardData): Counted[];
  /** It stands below the counts. */
  more: Html;
}): View {
  const { path, title, lead, none } = of;
  return boardPage(path, ({ site, language }, board) => {
    const counts = of.counted(board);
    return {
      path,
      title,
      lead,
      main: () => html`<h1>${title}</h1>
<p class="lead">${lead}</p>
${counts.length === 0 ? html`<p class="mute">${none}</p>` : countChips(counts, language)}
${of.more}`,
      markdown: () => {
        const lines = counts.map(
          ({ name, count, to }) => `- ${wordOrQuoted(name)}: ${count}, ${site.root}${to}`,
        );
        return markdownDocument([`# ${title}`, counts.length === 0 ? none : lines.join("\n")]);
      },
      data: { [path.slice(1)]: board[of.member] },
    };
  });
}
