import type { Site } from "../../../domain/site.ts";
import { type Docs, docsPath } from "../../reference/docs.ts";
import { html, type Piece } from "../frame/html.ts";
import { otherForms, page } from "../frame/layout.ts";

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
    links: otherForms(path),
    main: html`<div class="guide"><nav aria-label="Documentation"><ul>${item("/docs", "Overview")}${docs.groups.map(({ id, heading }) => item(docsPath(id), heading))}</ul></nav>
<div class="docs">${main}</div></div>`,
  });
}
