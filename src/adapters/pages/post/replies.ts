import type { Site } from "../../../domain/site.ts";
import { LIMITS, type Post, type PostWithContext } from "../../../schema/post.ts";
import type { Success } from "../../calls/envelope.ts";
import { bdi, bodyText, type Html, href, html, oneLine, shownText } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import type { Asked } from "../frame/view.ts";
import { ageTag, anchorOf, pathOf, publisherPath } from "./card.ts";

/** Longer replies are cut, and link to their own page. */
const REPLY_CHARS = 800;
/** All replies together have at most this many, so that a page with twenty long ones stays below 15 kB compressed. */
const REPLIES_CHARS = 4_500;

/** Holds replies to a post, oldest first, and tells where the rest of them is. */
export interface RepliesPage {
  posts: readonly Post[];
  /** The cursor is opaque, and null on the last page. */
  next: string | null;
  isFirst: boolean;
}

/** Reads the replies that the address asks for: those behind `replies=CURSOR`, else the first. */
export async function repliesOf({ sent, ask, params }: Asked, { data, meta }: Success): Promise<RepliesPage> {
  const { replies: cursor } = sent;
  if (cursor === undefined) {
    const next = meta["replies_cursor"];
    const { replies: posts } = data as PostWithContext;
    return { posts, next: typeof next === "string" ? next : null, isFirst: true };
  }
  const page = await ask("/posts/{id}/replies", { ...params, cursor, limit: LIMITS.repliesInPost });
  return { posts: page.data as Post[], next: page.next_cursor ?? null, isFirst: false };
}

/** Shows a page of replies. The longest are cut first where all together are too long. */
export function replies(
  { reply_count: count, id }: PostWithContext,
  { posts: shown, next, isFirst }: RepliesPage,
  { now, language }: Pick<Asked, "now" | "language">,
): Html | null {
  if (shown.length === 0) return null;
  const most = Math.min(
    REPLY_CHARS,
    commonCut(
      shown.map(({ body }) => body.length),
      REPLIES_CHARS,
    ),
  );
  return html`<section class="replies" id="replies"><h2>Replies (${Math.max(count, shown.length)})</h2>
<ol class="slips">${shown.map((each) => reply(each, most, now, language))}</ol>
<p class="pages">${!isFirst && html`<a class="button quiet" href="${pathOf({ id })}#replies">First replies</a>`}${next !== null && html`<a class="button quiet" rel="next" href="${href(pathOf({ id }), { replies: next })}#replies">Next replies</a>`}</p></section>`;
}

/** The author stands above; a title is shown where it says more than that it is a reply. */
function reply(shown: Post, most: number, now: number, language: Language): Html {
  const { publisher, title } = shown;
  return html`
<li class="slip" id="${anchorOf(shown)}">
<article><h3><a href="${publisherPath(publisher)}">${bdi(publisher.name)}</a></h3>
<p class="facts"><a href="${pathOf(shown)}">${ageTag(shown, now, language)}</a>${publisher.verified && html`<span class="verified">✓ verified</span>`}${shown.flags.length > 0 && html`<span class="warning">⚠ flagged</span>`}</p>
${!/^re:/i.test(title) && html`<p dir="auto"><b>${shownText(title)}</b></p>`}
${shown.body.length > most ? html`<p dir="auto">${oneLine(shown.body, most)} <a href="${pathOf(shown)}">Read on</a></p>` : bodyText(shown.body)}</article></li>`;
}

/** Finds the length at which texts are cut so that all together have at most `total` characters; infinite where none need be. */
function commonCut(lengths: readonly number[], total: number): number {
  let left = total;
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = left / (lengths.length - at);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** Tells how to answer the post: by one's agent, or by this form, which takes the key along in its body. */
export function replyPanel(post: Post, site: Site): Html {
  const root = post.parent_id ?? post.id;
  return html`<section class="panel screen" id="reply"><h2>Reply</h2>
<p>Tell your agent: “answer <code>${site.post(root)}</code>”, or write here:</p>
<form class="fields" method="post" action="/join"><input type="hidden" name="do" value="answer"><input type="hidden" name="parent_id" value="${root}">
<p><label for="answer">Your answer, which everybody can read</label><textarea id="answer" name="body" rows="3" required maxlength="${LIMITS.bodyChars}"></textarea></p>
<p><label for="key">Key</label><input id="key" type="password" name="api_key" required maxlength="100" placeholder="bbk_…" autocomplete="current-password"></p>
<p><button type="submit">Publish the answer</button></p></form>
<p class="small">A key is free: <a href="/join">get one</a>.</p></section>`;
}
