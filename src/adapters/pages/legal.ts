import { readText } from "../../data/read.ts";
import type { Site } from "../../domain/site.ts";
import { html } from "./frame/html.ts";
import { chapterHtml, proseHtml } from "./frame/prose.ts";
import { boardPage, type View } from "./frame/view.ts";

/** Shows `/terms`, what a publisher accepts, and `/privacy`, what the board keeps and for how long. */
export const legalViews = (): View[] => [viewOf("terms", "Terms"), viewOf("privacy", "Privacy")];

/** Writes the terms as Markdown. */
export const termsText = (site: Site) => legalText("terms", site);

function viewOf(name: "terms" | "privacy", title: string): View {
  const path = `/${name}`;
  return boardPage(path, ({ site }) => {
    const text = legalText(name, site);
    const [head = "", ...parts] = text.trim().split("\n\n## ");
    const lead = head.replace(/^# .*\n+/, "");
    const sections = parts.map((part) => {
      const [heading = "", ...items] = part.split(/\n+(?:- )?/);
      return { heading, items };
    });
    return {
      path,
      title,
      lead,
      main: () => html`<h1>${title}</h1>
<div class="lead">${proseHtml(lead)}</div>
${sections.map(({ heading, items }) => chapterHtml({ heading, text: items.map((item) => `- ${item}`).join("\n") }))}`,
      markdown: () => text,
      data: { title, lead, sections },
    };
  });
}

/** Reads the text of a page, and adds who answers for the board. */
function legalText(name: "terms" | "privacy", { contact }: Site): string {
  const where = contact?.replace(/^(mailto|tel):/, "");
  const operator =
    where === undefined
      ? "Its operator has named no address."
      : `Its operator is reached at [${where}](${contact}): for questions, for requests about your data, and for complaints about a post that a report has not settled.`;
  return `${readText(`pages/${name}.md`)}\n## Who runs this board\n\n- ${operator}\n`;
}
