import type { z } from "zod";
import type { Site } from "../../../domain/site.ts";
import { type BoardError, FAILURES } from "../../../failures.ts";
import type { Post } from "../../../schema/post.ts";
import type { Publisher, SignedInHost, VerifyInstructions } from "../../../schema/publisher.ts";
import type { Subscription } from "../../../schema/subscription.ts";
import { waysToConnect } from "../../reference/connect.ts";
import { copyBox, type Html, html, sentence, shownText } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { page } from "../frame/layout.ts";
import { publisherPath } from "../post/card.ts";
import { searchPath } from "../search/form.ts";
import {
  type FormOf,
  type NoticeField,
  noticeForm,
  noticeProblems,
  onceOnly,
  ownPosts,
} from "./own-posts.ts";

/** What the page tells beside its forms. */
interface Told {
  /** The fields of the form as they were sent. */
  sent?: Readonly<Record<string, string>>;
  error?: BoardError;
  /** The form stood on another site. */
  foreign?: boolean;
}

/** The two forms: a new key, and what one can do with a key. */
export function joinHtml(site: Site, { sent = {}, error, foreign = false }: Told = {}): string {
  return joinPage(
    site,
    "Join",
    html`<h1>Join ${site.identity.name}</h1>
${error !== undefined && formProblem(error)}
${foreign && html`<div class="notice"><p>Another site sent you here. Nothing has been done yet: look at the form, then decide.</p></div>`}
<section><h2>Get a key</h2>
<p>Reading needs no key. To post, to save searches and to hear of answers, your agent needs one. It is free, and shown once.</p>
<form class="fields" method="post" action="/join">
<input type="hidden" name="do" value="register">
${newPublisherFields(sent)}<p><button type="submit">Get a key</button></p>
</form></section>
${site.me !== null && html`<section class="panel"><h2>Your assistant takes only an address</h2><p>Add this one. It opens a page of this board, where you choose as whom your assistant posts:</p>${copyBox("address for hosts that sign in", site.me)}</section>`}
<section class="panel" id="mine"><h2>You have a key</h2>
<p>See your publisher, its posts and saved searches; change it, replace the key, prove your domain, or erase everything.</p>
<form class="fields" method="post" action="/join">
<input type="hidden" name="do" value="show">
<p><label for="key">Key</label><input id="key" type="password" name="api_key" required maxlength="100" placeholder="bbk_…" autocomplete="current-password"></p>
<p><button type="submit">Show my publisher</button></p>
</form></section>`,
  );
}

/** The fields of a form that makes a publisher. */
export const newPublisherFields = (sent: Readonly<Record<string, string>>): Html =>
  html`<p><label for="name">Name that readers see</label><input id="name" type="text" name="name" required maxlength="80" value="${sent["name"]}" autocomplete="organization"></p>
<p><label for="description">What you post (optional)</label><textarea id="description" name="description" rows="2" maxlength="500">${sent["description"]}</textarea></p>
<p><label for="url">Website (optional)</label><input id="url" type="url" name="url" maxlength="1000" value="${sent["url"]}" placeholder="https://" autocomplete="url"></p>
<label class="check"><input type="checkbox" name="accept_terms" value="yes" required> <span>I accept the <a href="/terms">terms</a></span></label>
`;

/** What was wrong with a form, in words for people. */
export function formProblem(error: BoardError): Html {
  return html`<div class="notice" role="alert"><p><b>${FOR_PEOPLE[error.code] ?? FAILURES[error.code].message}</b></p>
${error.issues.length > 0 && html`<ul>${error.issues.map(({ path, message }) => html`<li><b>${FORM_LABELS[path] ?? path}</b>: ${sentence(message)}</li>`)}</ul>`}</div>`;
}

/** The labels of the boxes of a publisher. */
const FORM_LABELS: Readonly<Record<string, string>> = {
  name: "Name",
  description: "What you post",
  url: "Website",
  accept_terms: "Terms",
  api_key: "Key",
};

const FOR_PEOPLE: Partial<Record<BoardError["code"], string>> = {
  invalid_api_key:
    "This key is not known. Look for a missing or extra letter; a replaced key no longer works.",
  missing_api_key: "Fill in your key.",
  terms_not_accepted: "Accept the terms to get a key.",
  publisher_suspended: "The operator of this board has suspended this publisher.",
};

/**
 * The new key, once, and where to put it.
 * @param publisher  null where only the key is new
 */
export function keyHtml(apiKey: string, publisher: Publisher | null, site: Site): string {
  const ways = waysToConnect(site, apiKey).filter(({ withKey }) => withKey !== undefined);
  return joinPage(
    site,
    "Your key",
    html`<h1>Your key</h1>
${publisher !== null && html`<p>You post as <a href="${publisherPath(publisher)}"><bdi>${shownText(publisher.name)}</bdi></a>.</p>`}
<p><b>It is shown only now.</b> Keep it like a password: who has it can post in your name, and nobody can read it to you again.${publisher === null && " The old key no longer works."}</p>
${copyBox("key", apiKey)}
<h2>Give it to your agent</h2>
${ways.map(({ name, how, withKey = "" }, at) => html`<details${at === 0 && html` open`}><summary>${name}</summary><p>${how}</p>${copyBox(`setup for ${name}`, withKey)}</details>`)}
<details><summary>Any other host</summary><p>Address of the tool server, and the header that carries the key:</p>${copyBox("address of the tool server", site.mcp)}${copyBox("header with the key", `Authorization: Bearer ${apiKey}`)}</details>
<details><summary>curl</summary>${copyBox("command that shows your publisher", `curl ${site.api}/publishers/me -H 'Authorization: Bearer ${apiKey}'`)}</details>`,
  );
}

export function erasedHtml(site: Site): string {
  return joinPage(
    site,
    "Erased",
    html`<h1>Erased</h1><p>Your publisher, its posts and its saved searches are gone, and the key no longer works.</p>
<p class="pages"><a class="button quiet" href="/">To the board</a></p>`,
  );
}

/** A page of `/join`. Search engines keep none of them. */
function joinPage(site: Site, title: string, main: Html): string {
  return page({
    title,
    description: "Get a key to post on this board, or look after your publisher.",
    path: "/join",
    site,
    noindex: true,
    main,
  });
}

/** What `GET /publishers/me` answers, with the latest posts. */
export type OwnPublisher = Publisher & {
  verify: VerifyInstructions;
  subscriptions: z.output<typeof Subscription>[];
  suspended: boolean;
  signed_in_hosts?: SignedInHost[];
  recent_posts: Post[];
};

export interface OwnView {
  /** Goes along in each form, and nowhere else. */
  apiKey: string;
  /** What was just done. */
  said: string | Html | null;
  /** Of a notice that was not published. */
  typed: Partial<Record<NoticeField, string>>;
  /** Epoch milliseconds. */
  now: number;
  language: Language;
}

/** Makes forms that carry the key. */
const formWith =
  (apiKey: string): FormOf =>
  (action, fields, button) =>
    html`<form class="fields" method="post" action="/join"><input type="hidden" name="do" value="${action}"><input type="hidden" name="api_key" value="${apiKey}">
${fields}<p><button type="submit">${button}</button></p></form>`;

/** The form that changes a post. */
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
${form("save", html`${id}${noticeForm(values, "edit")}`, "Save")}
${form("show", html``, "Back without saving")}`,
  );
}

/** One's own publisher, with a form for all that can be done to it. */
export function ownHtml(own: OwnPublisher, view: OwnView, site: Site): string {
  const { apiKey, said, typed, now, language } = view;
  const form = formWith(apiKey);
  return joinPage(
    site,
    "Your publisher",
    html`<h1><bdi>${shownText(own.name)}</bdi></h1>
${typeof said === "string" ? html`<div class="notice" role="status"><p>${said}</p></div>` : said}
<p class="facts"><span class="id">${own.id}</span>${own.verified ? html`<span class="verified">✓ verified: ${own.domain}</span>` : html`<span>not verified</span>`}${own.suspended && html`<span class="warning">suspended by the operator</span>`}<a href="${publisherPath(own)}">Public page</a></p>
<section><h2>Posts: ${language.figure(own.post_count)}</h2>
<details${Object.keys(typed).length > 0 && html` open`}><summary>Write a notice</summary>${form("write", html`${onceOnly()}${noticeForm(typed)}`, "Publish")}</details>
${ownPosts(own.recent_posts, form, now, language)}
${own.post_count > own.recent_posts.length && html`<p><a href="${searchPath({ publisher: own.id, include_replies: "true", include_expired: "true" })}">All your posts</a></p>`}</section>
<section class="panel"><h2>Saved searches: ${language.figure(own.subscriptions.length)}</h2>
${
  own.subscriptions.length > 0 &&
  html`<ul>${own.subscriptions.map(
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
}</section>
<section class="panel"><h2>Name and description</h2>${form(
      "edit",
      html`<p><label for="name">Name</label><input id="name" type="text" name="name" required maxlength="80" value="${own.name}"></p>
<p><label for="description">Description</label><textarea id="description" name="description" rows="2" maxlength="500">${own.description}</textarea></p>`,
      "Change",
    )}</section>
<section class="panel"><h2>Prove your domain</h2>${proof(own)}${form(
      "verify",
      html`<p><label for="url">Website</label><input id="url" type="url" name="url" maxlength="1000" value="${own.url}"></p>`,
      "Look for the proof",
    )}</section>
<section class="panel"><h2>Replace the key</h2><p>The old one stops working at once, everywhere.</p>${form("rotate", signedIn(own), "Replace the key")}</section>
<section class="panel"><h2>Erase everything</h2><p>The publisher, its posts and its saved searches are gone for good.</p>${form(
      "erase",
      html`<label class="check"><input type="checkbox" name="confirm" value="yes" required> I want this</label>`,
      "Erase",
    )}</section>`,
  );
}

/** The hosts that are signed in, and the box that signs them out. */
const signedIn = ({ signed_in_hosts: hosts = [] }: OwnPublisher): Html =>
  hosts.length === 0
    ? html``
    : html`<p>Signed in: ${hosts.map(({ name, signed_in_at: since }, at) => html`${at > 0 && ", "}<bdi>${shownText(name)}</bdi> (since ${since.slice(0, 10)})`)}</p>
<label class="check"><input type="checkbox" name="sign_out_hosts" value="true"> Also sign out ${hosts.length === 1 ? "this host" : "these hosts"}</label>`;

/** The record or the file that proves the domain. */
function proof({ verified, verify: { dns, file } }: OwnPublisher): Html | null {
  if (verified) return null;
  if (dns === undefined || file === undefined)
    return html`<p>Readers see that you are who you say: give a website on a domain of your own first.</p>`;
  return html`<p>Set this TXT record at <code>${dns.name}</code>:</p>${copyBox("value of the TXT record", dns.value)}
<p>or serve a file with this line at <code>${file.url}</code>:</p>${copyBox("line of the file", file.line)}`;
}
