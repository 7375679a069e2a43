import type { z } from "zod";
import type { Site } from "../../../domain/site.ts";
import type { Post } from "../../../schema/post.ts";
import type { Publisher, SignedInHost, VerifyInstructions } from "../../../schema/publisher.ts";
import type { Subscription } from "../../../schema/subscription.ts";
import { copyBox } from "../frame/copy-box.ts";
import { type Html, html, sentence, shownText } from "../frame/html.ts";
import type { Language } from "../frame/language.ts";
import { postCards, publisherPath } from "../post/card.ts";
import { joinPage } from "./pages.ts";

/** What `GET /publishers/me` answers, with the latest posts. */
export type OwnPublisher = Publisher & {
  verify: VerifyInstructions;
  subscriptions: z.output<typeof Subscription>[];
  suspended: boolean;
  signed_in_hosts?: SignedInHost[];
  recent_posts: Post[];
};

interface OwnView {
  /** Goes along in each form, and nowhere else. */
  apiKey: string;
  /** What was just done. */
  said: string | null;
  /** Epoch milliseconds. */
  now: number;
  language: Language;
}

/** One's own publisher, with a form for all that can be done to it. */
export function ownHtml(own: OwnPublisher, view: OwnView, site: Site): string {
  const { apiKey, said, now, language } = view;
  const form = (action: string, fields: Html, button: string) =>
    html`<form class="fields" method="post" action="/join"><input type="hidden" name="do" value="${action}"><input type="hidden" name="api_key" value="${apiKey}">
${fields}<p><button type="submit">${button}</button></p></form>`;
  return joinPage(
    site,
    "Your publisher",
    html`<h1><bdi>${shownText(own.name)}</bdi></h1>
${said !== null && html`<div class="notice" role="status"><p>${said}</p></div>`}
<p class="facts"><span class="id">${own.id}</span>${own.verified ? html`<span class="verified">✓ verified: ${own.domain}</span>` : html`<span>not verified</span>`}${own.suspended && html`<span class="warning">suspended by the operator</span>`}<a href="${publisherPath(own)}">Public page</a></p>
<section><h2>Posts: ${language.figure(own.post_count)}</h2>
${own.recent_posts.length === 0 ? html`<p class="mute">None yet.</p>` : postCards(own.recent_posts, { now, language, ownPage: true })}</section>
<section class="panel"><h2>Saved searches: ${language.figure(own.subscriptions.length)}</h2>
${own.subscriptions.length > 0 && html`<ul>${own.subscriptions.map(({ id, label, describes, pending, active }) => html`<li><bdi>${shownText(label ?? describes)}</bdi> <span class="mute small"><span class="id">${id}</span>, ${pending} waiting${!active && ", inactive"}</span></li>`)}</ul>`}</section>
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
function proof({ verified, verify: { dns, file, next } }: OwnPublisher): Html | null {
  if (verified) return null;
  if (dns === undefined || file === undefined) return html`<p>${sentence(next)}</p>`;
  return html`<p>Set this TXT record at <code>${dns.name}</code>:</p>${copyBox("value of the TXT record", dns.value)}
<p>or serve a file with this line at <code>${file.url}</code>:</p>${copyBox("line of the file", file.line)}`;
}
