import type { z } from "zod";
import type { BoardError } from "../../../board/failures.ts";
import type { Site } from "../../../domain/site.ts";
import type { Post } from "../../../schema/post.ts";
import type { Publisher, SignedInHost, VerifyInstructions } from "../../../schema/publisher.ts";
import type { Subscription } from "../../../schema/subscription.ts";
import { copyBox, type Html, html, shownText } from "../frame/html.ts";
import { faultOf } from "../frame/problems.ts";
import { publisherPath } from "../post/card.ts";
import { searchPath } from "../search/form.ts";
import { answeredOnce, publishedOnce } from "./once.ts";
import {
  answerForm,
  type FormOf,
  type NoticeField,
  noticeForm,
  noticeProblems,
  ownPosts,
  type Refused,
  type ShownWith,
} from "./own-posts.ts";
import { formProblem, joinPage } from "./pages.ts";
import { repliesToMe } from "./replies.ts";
import { savedQueries } from "./saved-queries.ts";

/** `GET /publishers/me` answers all but the latest posts, which come from the public page. */
export type OwnPublisher = Publisher & {
  verify: VerifyInstructions;
  subscriptions: z.output<typeof Subscription>[];
  suspended: boolean;
  signed_in_hosts?: SignedInHost[];
  recent_posts: Post[];
};

export interface OwnView extends ShownWith {
  /** It goes along in each form, and nowhere else. */
  apiKey: string;
  /** Says what was just done. */
  said: string | Html | null;
  /** These are replies to one's posts, newest first. */
  replies: readonly Post[];
}

/** Makes forms that carry the key. */
const formWith =
  (apiKey: string): FormOf =>
  (action, fields, button) =>
    html`<form class="fields" method="post" action="/join"><input type="hidden" name="do" value="${action}"><input type="hidden" name="api_key" value="${apiKey}">
${fields}<p><button type="submit">${button}</button></p></form>`;

export function editHtml(
  post: Post,
  values: Partial<Record<NoticeField, string>>,
  apiKey: string,
  site: Site,
  error?: BoardError,
): string {
  const id = html`<input type="hidden" name="id" value="${post.id}">`;
  const form = formWith(apiKey);
  return joinPage(
    site,
    "Edit a post",
    html`<h1>Edit a post</h1>
${error !== undefined && noticeProblems(error)}
${form("save", html`${id}${noticeForm(values, error, "edit")}`, "Save")}
${form("show", html``, "Back without saving")}`,
  );
}

/** One's own publisher, with a form for all that can be done to it. */
export function ownHtml(own: OwnPublisher, view: OwnView, site: Site): string {
  const { apiKey, said, refused, language } = view;
  const form = formWith(apiKey);
  const again = (action: Refused["action"]) => (refused?.action === action ? refused : null);
  const [written, edited, verified] = [again("write"), again("edit"), again("verify")];
  const problem = (of: Refused | null, name: string) => faultOf(of?.error, name, name);
  return joinPage(
    site,
    "Your publisher",
    html`<h1><bdi>${shownText(own.name)}</bdi></h1>
${typeof said === "string" ? html`<div class="notice" role="status"><p>${said}</p></div>` : said}${refused !== null && ((edited ?? verified) ? formProblem(refused.error) : noticeProblems(refused.error))}
<p class="facts"><span class="id">${own.id}</span>${own.verified ? html`<span class="verified">✓ verified: ${own.domain}</span>` : html`<span>not verified</span>`}${own.suspended && html`<span class="warning">suspended by the operator</span>`}<a href="${publisherPath(own)}">Public page</a></p>
${strayAnswer(own.recent_posts, view, form)}
<details class="write"${(written !== null || own.post_count === 0) && html` open`}><summary>Write a notice</summary>${form("write", html`${publishedOnce()}${noticeForm(written?.sent ?? {}, written?.error)}`, "Publish")}</details>
<section><h2>Your posts (${language.figure(own.post_count)})</h2>
${ownPosts(own.recent_posts, form, view)}
${own.post_count > own.recent_posts.length && html`<p><a href="${searchPath({ publisher: own.id, include_replies: "true", include_expired: "true" })}">All your posts</a></p>`}</section>
${repliesToMe(form, view)}
${savedQueries(own.subscriptions, form, language)}
<section class="panel"><h2>Name and description</h2>${form(
      "edit",
      html`<p><label for="name">Name</label><input id="name" type="text" name="name" required maxlength="80" value="${edited === null ? own.name : edited.sent["name"]}"${problem(edited, "name").mark}>${problem(edited, "name").told}</p>
<p><label for="description">Description</label><textarea id="description" name="description" rows="2" maxlength="500"${problem(edited, "description").mark}>${edited === null ? own.description : edited.sent["description"]}</textarea>${problem(edited, "description").told}</p>`,
      "Change",
    )}</section>
<section class="panel"><h2>Prove your domain</h2>${proof(own)}${form(
      "verify",
      html`<p><label for="url">Website</label><input id="url" type="url" name="url" maxlength="1000" value="${verified?.sent["url"] ?? own.url}"${problem(verified, "url").mark}>${problem(verified, "url").told}</p>`,
      "Look for the proof",
    )}</section>
<section class="panel"><h2>Replace the key</h2><p>The old one stops working at once, everywhere.</p>${form("rotate", html`${answeredOnce(view.now)}${signedIn(own)}`, "Replace the key")}</section>
<section class="panel"><h2>Erase everything</h2><p>The publisher, its posts and its saved searches are gone for good.</p>${form(
      "erase",
      html`<label class="check"><input type="checkbox" name="confirm" value="yes" required> I want this</label>`,
      "Erase",
    )}</section>`,
  );
}

/** Shows a refused answer to a post that is not on this page: its form stood on the page of the post. */
function strayAnswer(posts: readonly Post[], { refused, replies }: OwnView, form: FormOf): Html | null {
  const { parent_id: id = "" } = refused?.action === "answer" ? refused.sent : {};
  const isHere = [...posts, ...replies].some((post) => (post.parent_id ?? post.id) === id);
  return !/^[\w-]+$/.test(id) || isHere ? null : answerForm({ id, parent_id: null }, form, refused);
}

/** Shows the hosts that are signed in, and the box that signs them out. */
const signedIn = ({ signed_in_hosts: hosts = [] }: OwnPublisher): Html =>
  hosts.length === 0
    ? html``
    : html`<p>Signed in: ${hosts.map(({ name, signed_in_at: since }, at) => html`${at > 0 && ", "}<bdi>${shownText(name)}</bdi> (since ${since.slice(0, 10)})`)}</p>
<label class="check"><input type="checkbox" name="sign_out_hosts" value="true"> Also sign out ${hosts.length === 1 ? "this host" : "these hosts"}</label>`;

/** Shows the record or the file that proves the domain. */
function proof({ verified, verify: { dns, file } }: OwnPublisher): Html | null {
  if (verified) return null;
  if (dns === undefined || file === undefined)
    return html`<p>Readers see that you are who you say: give a website on a domain of your own first.</p>`;
  return html`<p>Set this TXT record at <code>${dns.name}</code>:</p>${copyBox("value of the TXT record", dns.value)}
<p>or serve a file with this line at <code>${file.url}</code>:</p>${copyBox("line of the file", file.line)}`;
}
