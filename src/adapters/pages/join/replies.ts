import { isWhole } from "../../../domain/posts/stands-for.ts";
import type { Post } from "../../../schema/post.ts";
import type { InboxItem } from "../../../schema/subscription.ts";
import type { Success } from "../../calls/envelope.ts";
import { bdi, type Html, html, oneLine } from "../frame/html.ts";
import { ageTag, pathOf, publisherPath } from "../post/card.ts";
import { answerForm, type FormOf, type ShownWith } from "./own-posts.ts";

/**
 * The inbox is read from one of these times on, oldest first: the first from where this many pages reach its end, else the
 * last.
 */
const SINCE = ["30 days ago", "1 day ago", "1 hour ago"];
const PAGES_MAX = 5;
const SHOWN = 10;
const EXCERPT_CHARS = 300;

/** Reads the latest replies to one's posts, newest first. */
export async function latestReplies(
  read: (page: Record<string, unknown>) => Promise<Success>,
): Promise<Post[]> {
  let replies: Post[] = [];
  let isWholeSpan = false;
  for (const since of SINCE) {
    if (isWholeSpan) break;
    replies = [];
    let page: Record<string, unknown> = { since, limit: 100 };
    for (let pages = 0; pages < PAGES_MAX && !isWholeSpan; pages += 1) {
      const { data, next_cursor: cursor } = await read(page);
      const items = data as InboxItem[];
      replies.push(...items.flatMap(({ type, post }) => (type === "reply" && isWhole(post) ? [post] : [])));
      isWholeSpan = items.length === 0;
      page = { cursor, limit: 100 };
    }
  }
  return replies.slice(-SHOWN).reverse();
}

/** Shows replies to one's posts, each with a form to answer it. */
export function repliesToMe(
  form: FormOf,
  { replies, now, language, refused }: ShownWith & { replies: readonly Post[] },
): Html {
  return html`<section class="panel" id="replies"><h2>Replies to you</h2>
${
  replies.length === 0
    ? html`<p class="mute">None in the last thirty days.</p>`
    : html`<ol class="slips">${replies.map(
        (reply) => html`
<li class="slip"><article><h3><a href="${publisherPath(reply.publisher)}">${bdi(reply.publisher.name)}</a></h3>
<p class="facts"><a href="${pathOf(reply)}">${ageTag(reply, now, language)}</a><span>to ${bdi(reply.title.replace(/^re:\s*/i, ""))}</span>${reply.flags.length > 0 && html`<span class="warning">⚠ flagged</span>`}</p>
<p class="snippet" dir="auto">${oneLine(reply.body, EXCERPT_CHARS)}</p>
${answerForm(reply, form, refused)}</article></li>`,
      )}</ol>`
}</section>`;
}
