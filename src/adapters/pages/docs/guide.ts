import type { Site } from "../../../domain/site.ts";
import type { Chapter } from "../../reference/chapters.ts";
import { type Docs, docsPath } from "../../reference/docs.ts";
import { type Html, html, type Piece, sentence, trusted } from "../frame/html.ts";
import { alternate, page } from "../frame/layout.ts";

/** A page of the documentation, with the navigation of all of them beside it, above it on small screens. */
export function guidePage(parts: {
  docs: Docs;
  site: Site;
  title: string;
  description: string;
  path: string;
  main: Piece;
}): string {
  const { docs, site, title, description, path, main } = parts;
  const item = (to: string, words: string) =>
    html`<li><a href="${to}"${path === to && html` aria-current="page"`}>${words}</a></li>
`;
  return page({
    title,
    description,
    path,
    site,
    links: [
      alternate(`${path}.md`, "text/markdown", "This page for models"),
      alternate(`${path}.json`, "application/json", "This page as data"),
    ],
    main: html`<div class="guide"><nav aria-label="Documentation"><ul>${item("/docs", "Overview")}${docs.groups.map(({ id, heading }) => item(docsPath(id), heading))}</ul></nav>
<div class="docs">${main}</div></div>`,
  });
}

/** @param titled  false where the page has its heading */
export function chapterHtml({ id, heading, paragraphs, rows = [] }: Chapter, titled = true): Html {
  return html`<section id="${id}">${titled && html`<h2>${heading}</h2>`}
${paragraphs.map(
  (text) => html`<p>${told(text)}</p>
`,
)}${
  rows.length > 0 &&
  html`<table><tbody>${rows.map(
    ([code, meaning]) => html`<tr><td><code>${code}</code></td><td>${told(meaning)}</td></tr>
`,
  )}</tbody></table>`
}</section>
`;
}

/**
 * Text of ours between tags, with its quotes as they are. The template would escape them, which only costs bytes here: a
 * page of JSON has thousands.
 */
export function verbatim(text: string): Html {
  return trusted(text.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
}

export const told = (text: string): Html => sentence(text, verbatim);
