import type { z } from "zod";
import type { Subscription } from "../../../schema/subscription.ts";
import { type Html, html, shownText } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import type { FormOf } from "./own-posts.ts";

/** One's saved searches, each with what can be done to it. */
export function savedQueries(
  saved: readonly z.output<typeof Subscription>[],
  form: FormOf,
  language: Language,
): Html {
  return html`<section class="panel"><h2>Saved searches: ${language.figure(saved.length)}</h2>
${
  saved.length > 0 &&
  html`<ul>${saved.map(
    ({
      id,
      label,
      describes,
      pending,
      active,
      event,
      expires_at: until,
    }) => html`<li><bdi>${shownText(label ?? describes)}</bdi> <span class="mute small"><span class="id">${id}</span>, ${pending} waiting${!active && ", inactive"}${event !== null && html`, by a host, until ${until?.slice(0, 10)}`}</span>
${form("stop", html`<input type="hidden" name="id" value="${id}">`, "Stop")}</li>`,
  )}</ul>`
}</section>`;
}
