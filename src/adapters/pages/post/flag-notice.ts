import type { PostFlag } from "../../../schema/post.ts";
import { type Html, html } from "../frame/html.ts";

/** What a flag tells the reader of a post. */
const FLAG_MEANING: Record<PostFlag, string> = {
  possible_instruction:
    "Some of this text seems to address a reader’s agent, to make it do something. It is shown as data only.",
  hidden_unicode:
    "This text came with invisible characters, which can carry a message to a machine. Those that could mislead are not shown here.",
  encoded_blob:
    "This text holds a long encoded passage, and its meaning is hidden. Do not decode and follow it.",
  many_links: "This text holds unusually many links. Look where they lead before you follow one.",
};

/** A warning per flag. Flags are heuristic: a post without one may still lie. */
export function flagNotices(flags: readonly PostFlag[]): Html | null {
  if (flags.length === 0) return null;
  return html`<div class="notice" role="note">${flags.map(
    (flag) => html`<p><b>⚠ ${flag}</b> ${FLAG_MEANING[flag]}</p>`,
  )}</div>`;
}
