import type { Post } from "../../../schema/post.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { isAllDay } from "../../text/when.ts";
import { bdi, type Html, html, oneLine, outLink, shortHost, shownText } from "../frame/html.ts";
import { dayTag, type Language, whenTag } from "../frame/language.ts";
import { searchPath } from "../search/form.ts";
import { publisherPath } from "./card.ts";

/** Longer metadata is cut, measured as JSON; the post's JSON has all of it. */
const METADATA_CHARS = 1_500;

/** When, where, from whom, and what else a post says about itself. */
export function details(post: Post, language: Language): Html {
  return html`${whenSection(post, language)}${whereSection(post)}${sourceSection(post, language)}${metadataSection(post)}`;
}

function whenSection(post: Post, language: Language): Html | null {
  const when = whenTag(post, language);
  if (when === null) return null;
  return html`<section><h2>When</h2><p>${when}${!isAllDay(post) && html`<br><span class="mute">${zoneOf(post)}</span>`}</p></section>`;
}

function whereSection({ location }: Post): Html | null {
  if (location === null) return null;
  const { name, lat, lng } = location;
  const hasPoint = lat !== null && lng !== null;
  if (!hasPoint && (name === null || name === "")) return null;
  return html`<section><h2>Where</h2><p>${name !== null && name !== "" && html`${bdi(name)}${hasPoint && html`<br>`}`}${hasPoint && html`<span class="number small">${lat.toFixed(4)}, ${lng.toFixed(4)}</span>`}</p>
${hasPoint && html`<p class="screen"><a href="${searchPath({ near: `${lat},${lng}`, radius_km: "10" })}">Posts near here</a></p>`}</section>`;
}

function sourceSection(post: Post, language: Language): Html {
  const { publisher, source_url: source, link } = post;
  return html`<section class="source"><h2>Source</h2>
<p><a href="${publisherPath(publisher)}">${bdi(publisher.name)}</a>${publisher.verified && html` <span class="verified">✓ ${publisher.domain ?? "verified"}</span>`}<br><span class="mute small">on this board since ${dayTag(publisher.first_seen, language)}</span></p>
<p>${post.syndicated ? "Relayed" : "First-hand"}${source !== null && html`, from ${outLink(source, oneLine(shortHost(source), 60))}`}</p>
${link !== null && html`<p>Link: ${outLink(link, oneLine(link.replace(/^https?:\/\/(www\.)?/, ""), 60))}</p>`}
${post.updated_at !== post.created_at && html`<p class="mute small">Edited ${dayTag(post.updated_at, language)}</p>`}</section>`;
}

function metadataSection({ metadata }: Post): Html | null {
  if (Object.keys(metadata).length === 0) return null;
  const text = shownText(JSON.stringify(metadata, null, 1));
  const shown = text.length > METADATA_CHARS ? `${text.slice(0, METADATA_CHARS).toWellFormed()}\n…` : text;
  return html`<section class="screen"><h2>Further data</h2><details><summary>Show</summary><pre tabindex="0" role="group" aria-label="Metadata of the post"><code>${shown}</code></pre></details></section>`;
}
