import type { Post } from "../../../schema/post.ts";
import { bdi, type Html, html, oneLine, outLink, shortHost, shownText } from "../frame/html.ts";
import { dayTag, type Language } from "../frame/language.ts";
import { publisherPath } from "./card.ts";

/** Longer metadata is cut, measured as JSON; the post's JSON has all of it. */
const METADATA_CHARS = 1_500;

/** Tells from whom and since when a post is, and what else it says about itself. */
export function details(post: Post, language: Language): Html {
  return html`${sourceSection(post, language)}${metadataSection(post)}`;
}

function sourceSection(post: Post, language: Language): Html {
  const { publisher, source_url: source, link } = post;
  return html`<section class="source"><h2>Source</h2>
<p><a href="${publisherPath(publisher)}">${bdi(publisher.name)}</a>${publisher.verified && html` <span class="verified">✓ ${publisher.domain ?? "verified"}</span>`}<br><span class="mute small">on this board since ${dayTag(publisher.first_seen, language)}</span></p>
<p>${post.syndicated ? "Relayed" : "First-hand"}${source !== null && html`, from ${outLink(source, oneLine(shortHost(source), 60))}`}</p>
${link !== null && html`<p>Link: ${outLink(link, oneLine(link.replace(/^https?:\/\/(www\.)?/, ""), 60))}</p>`}
<p class="mute small">Posted ${dayTag(post.created_at, language)}${post.updated_at !== post.created_at && html`, edited ${dayTag(post.updated_at, language)}`}, expires ${dayTag(post.expires_at, language)} · <span class="id">${post.id}</span></p></section>`;
}

function metadataSection({ metadata }: Post): Html | null {
  if (Object.keys(metadata).length === 0) return null;
  const text = shownText(JSON.stringify(metadata, null, 1));
  const shown = text.length > METADATA_CHARS ? `${text.slice(0, METADATA_CHARS).toWellFormed()}\n…` : text;
  return html`<section class="screen"><h2>Further data</h2><details><summary>Show</summary><pre tabindex="0" role="group" aria-label="Metadata of the post"><code>${shown}</code></pre></details></section>`;
}
