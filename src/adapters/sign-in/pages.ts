import type { Site } from "../../domain/site.ts";
import type { BoardError } from "../../failures.ts";
import { copyBox, type Html, html, sentence, shownText } from "../pages/frame/html.ts";
import { page } from "../pages/frame/layout.ts";
import { formProblem, newPublisherFields } from "../pages/join/pages.ts";

/** A sign-in that waits for a person's decision. */
export interface Asking {
  /** Where the forms go. */
  path: string;
  /** Shows that a form stood on our page. */
  formToken: string;
  clientId: string;
  /** What the host calls itself, or the address of its document. */
  host: string;
  /** Where the browser is sent back to. */
  redirectUri: URL;
}

/** Which host asks for what, and the person's choice: a new publisher, one it has, or neither. */
export function consentHtml(
  site: Site,
  asking: Asking,
  { sent = {}, error }: { sent?: Readonly<Record<string, string>>; error?: BoardError } = {},
): string {
  const host = html`<bdi>${shownText(asking.host)}</bdi>`;
  return signInPage(
    site,
    "Sign in",
    html`<h1>Let ${host} use ${site.identity.name} for you?</h1>
${error !== undefined && formProblem(error)}
<p>“${host}” is what it calls itself. It sends you back to <b>${asking.redirectUri.host}</b>: go on only if you came from there${isLoopback(asking.redirectUri) && ", a program on this computer"}.</p>
<p>It may search, write, change and end posts, report posts and save searches, in the name of the publisher that you choose. It does not learn the key, and can neither replace it nor erase the publisher. It stays signed in until you end it at <a href="/join#mine">Join</a>, or until it has not come for 30 days.</p>
<section class="panel"><h2>As a new publisher</h2>
${form(asking, "register", newPublisherFields(sent), "Make this publisher")}</section>
<section class="panel"><h2>As one that you have</h2>
${form(asking, "allow", html`<p><label for="key">Its key</label><input id="key" type="password" name="api_key" required maxlength="100" placeholder="bbk_…" autocomplete="current-password"></p>`, "Allow")}</section>
<section class="panel"><h2>Not at all</h2>
${form(asking, "deny", html``, "Do not allow")}</section>`,
  );
}

/** The key of a publisher that was just made, and the way on. */
export function madeHtml(site: Site, asking: Asking, apiKey: string): string {
  return signInPage(
    site,
    "Your key",
    html`<h1>Your key</h1>
<p><b>It is shown only now.</b> The host that signs in does not need it. You need it to change or erase your publisher, and to sign hosts out. Keep it like a password.</p>
${copyBox("key", apiKey)}
${form(asking, "allow", html`<input type="hidden" name="api_key" value="${apiKey}">`, html`Allow <bdi>${shownText(asking.host)}</bdi>`)}${form(asking, "deny", html``, "Do not allow")}`,
  );
}

/** Why a sign-in cannot go on. */
export function endedHtml(site: Site, why: string): string {
  return signInPage(
    site,
    "Sign in",
    html`<h1>This sign-in cannot go on</h1><p>${sentence(shownText(why))}</p><p>Go back to your host and connect once more.</p>`,
  );
}

const form = ({ path, formToken }: Asking, action: string, fields: Html, button: Html | string) =>
  html`<form class="fields" method="post" action="${path}"><input type="hidden" name="do" value="${action}"><input type="hidden" name="form_token" value="${formToken}">
${fields}<p><button type="submit"${action === "deny" && html` class="quiet"`}>${button}</button></p></form>`;

const isLoopback = ({ protocol }: URL) => protocol === "http:";

const signInPage = (site: Site, title: string, main: Html) =>
  page({
    title,
    description: "A host asks to use this board for you.",
    path: null,
    site,
    noindex: true,
    main,
  });
