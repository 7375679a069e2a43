import type { z } from "zod";
import type { INACTIVE_REASONS, Subscription } from "../../../schema/subscription.ts";
import { bdi, type Html, html } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import type { FormOf } from "./own-posts.ts";

type Saved = z.output<typeof Subscription>;

/** Tells why a saved search finds nothing new, or tells nobody. */
const REASON_WORDS: Record<(typeof INACTIVE_REASONS)[number], string> = {
  paused: "paused",
  publisher_suspended: "suspended",
  webhook_gone: "its receiver is gone",
  webhook_failing: "its receiver fails",
};

/** One's saved searches, each with what can be done to it. */
export function savedQueries(saved: readonly Saved[], form: FormOf, language: Language): Html {
  return html`<section class="panel"><h2>Saved searches (${language.figure(saved.length)})</h2>
${saved.length === 0 ? html`<p class="mute">None yet. Your agent saves one when you ask it to tell you of what is new.</p>` : html`<ul class="slips">${saved.map((each) => savedQuery(each, form, language))}</ul>`}</section>`;
}

function savedQuery(saved: Saved, form: FormOf, language: Language): Html {
  const { label, describes, pending, active, inactive_reason: reason, event, expires_at: until } = saved;
  const id = html`<input type="hidden" name="id" value="${saved.id}">`;
  const isOwn = event === null;
  const isWide = saved.breadth === "wide";
  // Without words there is nothing that could fit less well.
  const hasBreadth = isOwn && typeof saved.query["q"] === "string";
  return html`
<li class="slip"><article><h3>${bdi(label ?? describes)}</h3>
<p class="facts"><span>${language.figure(pending)} waiting</span>${hasBreadth && html`<span>${isWide ? "tells of all that may fit" : "tells of what fits well"}</span>`}${reason !== null && html`<span class="warning">${REASON_WORDS[reason]}</span>`}${!isOwn && html`<span>by a host, until ${until?.slice(0, 10)}</span>`}</p>
<div class="steps">${isOwn && active && form("pause", id, "Pause")}${isOwn && reason === "paused" && form("resume", id, "Go on")}${hasBreadth && (isWide ? form("narrow", id, "Only what fits well") : form("widen", id, "All that may fit"))}${form("stop", id, "End")}</div></article></li>`;
}
