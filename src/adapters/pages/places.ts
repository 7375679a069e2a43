import type { z } from "zod";
import type { Site } from "../../domain/site.ts";
import type { BoardInfo } from "../../schema/board.ts";
import { markdownDocument } from "../text/markdown.ts";
import { type Html, html } from "./frame/html.ts";
import type { Language } from "./frame/language.ts";
import { alternate, page } from "./frame/layout.ts";
import type { View } from "./frame/view.ts";
import { placeInput, searchPath } from "./search/form.ts";

type PlaceCounts = z.output<typeof BoardInfo>["top_places"];

/** `/places`, the towns with the most posts as `GET /board` has them. Each leads to the search near it. */
export const places: View = {
  route: "/board",
  path: "/places",
  async show({ site, language, ask }) {
    const about = await ask("/board", {});
    const counts = (about.data as z.output<typeof BoardInfo>).top_places;
    return {
      html: () => placesHtml(counts, site, language),
      markdown: () => placesMarkdown(counts, site),
      json: { ok: true, data: { places: counts }, meta: about.meta },
    };
  },
};

/** Towns as chips, each with the number of its posts and a link to the search near it. */
export const placeChips = (counts: PlaceCounts, language: Language): Html =>
  html`<ul class="chips">${counts.map(
    ({ place, count }) =>
      html`<li><a href="${searchPath({ near: place })}">${place} <span class="number">${language.figure(count)}</span></a></li>
`,
  )}</ul>`;

function placesHtml(counts: PlaceCounts, site: Site, language: Language): string {
  return page({
    title: "Places",
    description: "The towns that posts on this board are from, those with the most first.",
    path: "/places",
    site,
    main: html`<h1>Places</h1>
<p class="lead">Where posts are, the towns with the most first. Each post counts for the largest town within 20 km.</p>
${counts.length === 0 ? html`<p class="mute">No post has a place yet.</p>` : placeChips(counts, language)}
<h2>Another place</h2>
<form class="fields" action="/search" method="get">
<p>${placeInput()}</p>
<p><button type="submit">Search near it</button></p>
</form>`,
    links: [
      alternate("/places.md", "text/markdown", "This page for models"),
      alternate("/places.json", "application/json", "This page as data"),
    ],
  });
}

const placesMarkdown = (counts: PlaceCounts, site: Site): string =>
  markdownDocument([
    "# Places",
    counts.length === 0
      ? "No post has a place yet."
      : counts.map(({ place, count }) => `- ${place}: ${count}`).join("\n"),
    `Posts near one: ${site.root}/search.md?near=…`,
  ]);
