import { type BoardError, FAILURES } from "../../../board/failures.ts";
import { KINDS, type Kind, LIMITS, type Post } from "../../../schema/post.ts";
import { zoneOf } from "../../../schema/time/local-time.ts";
import { clockTimeIn, isAllDay } from "../../text/when.ts";
import { type Html, html, shownText } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { faultOf, problemText } from "../frame/problems.ts";
import { pathOf, postFacts } from "../post/card.ts";
import { publishedOnce } from "./once.ts";

/** Makes a form of this page, which does something with a post, and names it on a button. */
export type FormOf = (action: string, fields: Html, button: string) => Html;

/** Tells which form of one's own page was refused, and why. */
export interface Refused {
  action: "write" | "answer" | "edit" | "verify";
  /** Holds what was filled into the boxes. */
  sent: Readonly<Record<string, string>>;
  error: BoardError;
}

export interface ShownWith {
  /** Counts epoch milliseconds. */
  now: number;
  language: Language;
  /** This form was refused: it is shown again with what was typed. */
  refused: Refused | null;
}

/** A notice has these boxes: each has its name in a form, and its label. */
const LABELS = {
  kind: "Kind",
  title: "Title",
  body: "Text, which everybody can read",
  place: "Place (optional)",
  starts_at: "Starts (optional)",
  ends_at: "Ends (optional)",
  url: "Link (optional)",
  tags: "Tags (optional)",
} as const;
export type NoticeField = keyof typeof LABELS;
export const NOTICE_FIELDS = Object.keys(LABELS) as NoticeField[];

/** Shows a post as a form does; times are those of the post's own zone. */
export function noticeFields(post: Post): Record<NoticeField, string> {
  const shown = (at: string | null) => {
    if (at === null) return "";
    const { year, month, day, time } = clockTimeIn(at, zoneOf(post));
    const two = (n: string | number) => String(n).padStart(2, "0");
    const date = `${year}-${two(month)}-${two(day)}`;
    return isAllDay(post) ? date : `${date} ${time}`;
  };
  return {
    kind: post.kind,
    title: post.title,
    body: post.body,
    place: post.location?.name ?? "",
    starts_at: shown(post.starts_at),
    ends_at: shown(post.ends_at),
    url: post.link ?? "",
    tags: post.tags.join(", "),
  };
}

/** Makes the input of an operation from the boxes of a form. */
export function postInput(sent: Partial<Record<NoticeField, string>>): Record<string, unknown> {
  const { place, tags, ...plain } = sent;
  const given = Object.entries(plain).map(([name, value]) => [name, value === "" ? null : value]);
  return {
    ...Object.fromEntries(given),
    ...(place !== undefined && { location: place === "" ? null : { name: place } }),
    ...(tags !== undefined && { tags }),
  };
}

const KIND_WORDS: Record<Kind, string> = {
  event: "Event",
  offer: "Offer",
  request: "Request",
  announcement: "News",
  thread: "Thread",
};

/** Shows the boxes of a notice, filled with what was typed. */
export function noticeForm(
  values: Partial<Record<NoticeField, string>>,
  error: BoardError | undefined,
  id = "new",
): Html {
  const problem = (name: NoticeField) =>
    faultOf(error, name === "place" ? "location" : name, `${id}-${name}`);
  const box = (name: NoticeField, input: Html) =>
    html`<p><label for="${id}-${name}">${LABELS[name]}</label>${input}${problem(name).told}</p>
`;
  const line = (name: NoticeField, more: Html = html``) =>
    box(
      name,
      html`<input id="${id}-${name}" type="text" name="${name}" value="${values[name]}"${more}${problem(name).mark}>`,
    );
  const kind = values.kind ?? "offer";
  return html`${box(
    "kind",
    html`<select id="${id}-kind" name="kind"${problem("kind").mark}>${KINDS.map((each) => html`<option value="${each}"${each === kind && html` selected`}>${KIND_WORDS[each]}</option>`)}</select>`,
  )}${line("title", html` required maxlength="${LIMITS.titleChars}"`)}${box(
    "body",
    html`<textarea id="${id}-body" name="body" rows="6" required maxlength="${LIMITS.bodyChars}"${problem("body").mark}>${values.body}</textarea>`,
  )}${line("place", html` placeholder="Utrecht"`)}<div class="pair">${line("starts_at", html` placeholder="2026-12-05 19:00"`)}${line("ends_at", html` placeholder="2026-12-05 22:00"`)}</div>
${line("url", html` placeholder="https://"`)}${line("tags", html` placeholder="bike, repair"`)}`;
}

/** Tells what was wrong with a notice, by the labels of its boxes. */
export function noticeProblems({ issues, code }: BoardError): Html {
  const labelOf = (path: string) => {
    const name = path.startsWith("location") ? "place" : (path.split(".")[0] ?? "");
    return name in LABELS ? LABELS[name as NoticeField].replace(/[,(].*/, "").trim() : null;
  };
  return html`<div class="notice" role="alert"><p><b>Nothing was changed yet.</b></p>
<ul>${issues.length === 0 ? html`<li>${FAILURES[code].message}</li>` : issues.map((issue) => html`<li>${labelOf(issue.path) !== null && html`<b>${labelOf(issue.path)}</b>: `}${problemText(issue)}</li>`)}</ul></div>`;
}

/** Shows a form that answers a post, or the thread that a reply belongs to. */
export function answerForm(
  post: Pick<Post, "id" | "parent_id">,
  form: FormOf,
  refused: Refused | null,
): Html {
  const parent = post.parent_id ?? post.id;
  const again = refused?.action === "answer" && refused.sent["parent_id"] === parent ? refused : null;
  const id = `answer-${post.id}`;
  const { mark, told } = faultOf(again?.error, "body", id);
  return html`<details${again !== null && html` open`}><summary>Answer</summary>${form("answer", html`${publishedOnce()}<input type="hidden" name="parent_id" value="${parent}"><p><label for="${id}">Your answer, which everybody can read</label><textarea id="${id}" name="body" rows="3" required maxlength="${LIMITS.bodyChars}"${mark}>${again?.sent["body"]}</textarea>${told}</p>`, "Publish the answer")}</details>`;
}

/** One's own posts, each with what can be done to it. */
export function ownPosts(posts: readonly Post[], form: FormOf, { now, language, refused }: ShownWith): Html {
  if (posts.length === 0) return html`<p class="mute">None yet.</p>`;
  return html`<ol class="slips">${posts.map((post) => {
    const id = html`<input type="hidden" name="id" value="${post.id}">`;
    const isEnded = Date.parse(post.expires_at) <= now;
    return html`
<li class="slip"><article><h3 dir="auto"><a href="${pathOf(post)}">${shownText(post.title)}</a></h3>
<p class="facts">${postFacts(post, { now, language, ownPage: true })}</p>
<div class="steps">${post.parent_id === null && form("change", id, "Edit")}${!isEnded && form("end", id, "End now")}</div>
${answerForm(post, form, refused)}
<details><summary>Take down</summary><p>The text is gone for readers at once, with its replies, and cannot be brought back.</p>${form("remove", id, "Take it down")}</details></article></li>`;
  })}</ol>`;
}
