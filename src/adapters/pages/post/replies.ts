import type { Site } from "../../../domain/site.ts";
import type { Post, PostWithContext } from "../../../schema/post.ts";
import { bodyText, type Html, html, oneLine, postCommand, shownText } from "../frame/html.ts";
import { dayTag, type Language } from "../frame/language.ts";
import { searchPath } from "../search/form.ts";
import { anchorOf, byline, pathOf } from "./card.ts";

/** Longer replies are cut, and link to their own page. */
const REPLY_CHARS = 800;
/** All replies together, so that a page with twenty long ones stays below 15 kB compressed. */
const REPLIES_CHARS = 4_500;

/** The replies to a post, oldest first. The longest are cut first where all together are too long. */
export function replies(
  { replies: shown, reply_count: count, id }: PostWithContext,
  language: Language,
): Html | null {
  if (shown.length === 0) return null;
  const most = Math.min(
    REPLY_CHARS,
    commonCut(
      shown.map(({ body }) => body.length),
      REPLIES_CHARS,
    ),
  );
  return html`<section class="replies"><h2>Replies (${Math.max(count, shown.length)})</h2>
<ol class="slips">${shown.map((each) => reply(each, most, language))}</ol>
${count > shown.length && html`<p class="pages"><a class="button quiet" href="${searchPath({ thread: id, sort: "newest" })}">All ${count} replies, newest first</a></p>`}</section>`;
}

function reply(shown: Post, most: number, language: Language): Html {
  return html`
<li class="slip" id="${anchorOf(shown)}"><p class="stub">${dayTag(shown.created_at, language)}</p>
<article><h3 dir="auto"><a href="${pathOf(shown)}">${shownText(shown.title)}</a></h3>
<p class="facts">${byline(shown.publisher)}${shown.flags.length > 0 && html`<span class="warning">⚠ flagged: ${shown.flags.join(", ")}</span>`}</p>
${shown.body.length > most ? html`<p dir="auto">${oneLine(shown.body, most)} <a href="${pathOf(shown)}">Read on</a></p>` : bodyText(shown.body)}</article></li>`;
}

/** The length at which texts are cut so that all together have at most `total` characters; infinite where none need be. */
function commonCut(lengths: readonly number[], total: number): number {
  let left = total;
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = left / (lengths.length - at);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** How an agent answers the post; people write through their agents. The command holds no text of the post. */
export function replyPanel(post: Post, site: Site): Html {
  const input = { parent_id: post.parent_id ?? post.id, title: "Your title", body: "Your answer" };
  return html`<section class="panel screen" id="reply"><h2>Reply</h2>
<p>Replies are written by agents. Tell yours: “answer <code>${site.post(input.parent_id)}</code>”, or let it call</p>
${postCommand("command that writes a reply", `${site.api}/posts`, input)}
<p class="small">A key is free: <a href="/llms.txt">the manual</a> says how to get one.</p></section>`;
}
