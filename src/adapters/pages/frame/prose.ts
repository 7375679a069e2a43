import { type Html, html, sentence, trusted } from "./html.ts";

/** Shows a part of a page in our own Markdown: paragraphs, lists, code between backticks, bold, links. */
export function chapterHtml({ id, heading, text }: { id?: string; heading: string; text: string }): Html {
  return html`<section${id !== undefined && html` id="${id}"`}>${heading !== "" && html`<h2>${heading}</h2>`}
${proseHtml(text)}</section>
`;
}

export const proseHtml = (markdown: string): Html =>
  html`${markdown
    .trim()
    .split(/\n{2,}/)
    .map(blockHtml)}`;

function blockHtml(block: string): Html {
  if (!block.startsWith("- ")) return html`<p>${told(block)}</p>\n`;
  const items = block.slice("- ".length).split("\n- ");
  return html`<ul>${items.map((item) => html`<li><p>${told(item)}</p></li>\n`)}</ul>\n`;
}

/** Writes a sentence of ours, with code, bold and links. */
export function told(text: string): Html {
  const parts = text.split(LINK);
  return html`${parts.map((part, i) => {
    if (i % 3 === 0) return withBold(part);
    return i % 3 === 1 ? html`<a href="${parts[i + 1]}">${part}</a>` : null;
  })}`;
}

const withBold = (text: string): Html =>
  html`${text.split("**").map((part, i) => (i % 2 === 1 ? html`<b>${sentence(part, verbatim)}</b>` : sentence(part, verbatim)))}`;

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/;

/** Puts text of ours between tags, with its quotes as they are. */
export function verbatim(text: string): Html {
  return trusted(text.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
}
