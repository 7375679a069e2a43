import { type Html, html } from "./html.ts";

/** A text of ours in which backticks stand around code, as Markdown has it. */
export function withCode(text: string): Html {
  return html`${text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
