import type { BoardError } from "../../board/failures.ts";
import type { Site } from "../../domain/site.ts";
import { copyBox, type Html, html, sentence, shownText } from "../pages/frame/html.ts";
import { page } from "../pages/frame/layout.ts";
import { formProblem, newPublisherFields } from "../pages/join/pages.ts";

/** Waits for a person's decision. */
export interface Asking {
  /** The forms go there. */
  path: string;
  /** Shows that a form stood on our page. */
  formToken: string;
  /** The host calls itself so, if it says anything. */
  host: string | undefined;
  /** The browser is sent back there. */
  redirectUri: URL;
}

/** Shows which host asks for what, and lets the person choose: a new publisher, one they have, or neither. */
export function consentHtml(
  site: Site,
  asking: Asking,
  { sent = {}, error }: { sent?: Readonly<Record<string, string>>; error?: BoardError } = {},
): string {
  const { host, redirectUri } = asking;
  const calls =
    host === undefined
      ? "It does not say what it is called."
      : html`It calls itself “<bdi>${shownText(host)}</bdi>”, which nobody has checked.`;
  return signInPage(
    site,
    "Sign in",
    html`<h1>Let a host use ${site.identity.name} for you?</h1>
${error !== undefined && formProblem(error)}
<p>It sends you back to ${place(redirectUri)}: go on only if you came from there. ${calls}</p>
<p>It may search, write, change and end posts, report posts and save searches, in the name of the publisher that you choose. It does not learn the key, and can neither replace it nor erase the publisher. It stays signed in until you end it at <a href="/join#mine">Join</a>, or until it has not come for 30 days.</p>
<section class="panel"><h2>As a new publisher</h2>
${form(asking, "register", newPublisherFields(sent, error), "Make this publisher")}</section>
<section class="panel"><h2>As one that you have</h2>
${form(asking, "allow", html`<p><label for="key">Its key</label><input id="key" type="password" name="api_key" required maxlength="100" placeholder="bbk_…" autocomplete="current-password"></p>`, "Allow")}</section>
<section class="panel"><h2>Not at all</h2>
${form(asking, "deny", html``, "Do not allow")}</section>`,
  );
}

/** Shows the key of a publisher that was just made, and the way on. */
export function madeHtml(site: Site, asking: Asking, apiKey: string): string {
  return signInPage(
    site,
    "Your key",
    html`<h1>Your key</h1>
<p><b>It is shown only now.</b> The host that signs in does not need it. You need it to change or erase your publisher, and to sign hosts out. Keep it like a password.</p>
${copyBox("key", apiKey)}
<p>Then let the host use it, which sends you back to ${place(asking.redirectUri)}.</p>
${form(asking, "allow", html`<input type="hidden" name="api_key" value="${apiKey}">`, "Allow")}${form(asking, "deny", html``, "Do not allow")}`,
  );
}

/** Leads the browser to the host with its answer. @param why  nothing was allowed */
export function leadHtml(site: Site, to: URL, why: string | undefined): string {
  return signInPage(
    site,
    "Back to the host",
    html`<h1>${why === undefined ? "You have allowed it" : "Nothing was allowed"}</h1>
<p>Your browser goes on to ${place(to)}. If it does not: <a href="${to.href}" rel="noreferrer">go back to the host</a>. Then you can close this page.</p>`,
    to.href,
  );
}

/**
 * Tells why a host is refused before a person could decide. Its address may be anybody's: the browser goes there by a click
 * alone.
 */
export function refusedHtml(site: Site, to: URL, why: string): string {
  return signInPage(
    site,
    "Sign in",
    html`<h1>This sign-in cannot go on</h1><p>${sentence(shownText(why))}</p>
<p>The host asked in a way that this board does not answer, and nothing was allowed. It may be told so: <a href="${to.href}" rel="noreferrer">go back to the host</a> at ${place(to)}, if you came from there.</p>`,
  );
}

export const NOT_KNOWN = {
  why: "This board does not know your host any more, since it has not come for long.",
  next: "In your host, remove the connector to this board and add it again: it then registers anew.",
};
export const NOT_READ = {
  why: "The document that describes your host could not be read, or does not fit.",
  next: "Try again later. If it stays so, tell those who make the host.",
};

/** Tells why a sign-in cannot go on, and what to do next. */
export function endedHtml(site: Site, { why, next }: { why: string; next?: string }): string {
  return signInPage(
    site,
    "Sign in",
    html`<h1>This sign-in cannot go on</h1><p>${sentence(shownText(why))}</p><p>${next ?? "Go back to your host and connect once more."}</p>`,
  );
}

const form = ({ path, formToken }: Asking, action: string, fields: Html, button: Html | string) =>
  html`<form class="fields" method="post" action="${path}"><input type="hidden" name="do" value="${action}"><input type="hidden" name="form_token" value="${formToken}">
${fields}<p><button type="submit"${action === "deny" && html` class="quiet"`}>${button}</button></p></form>`;

/** Names in bold where a browser goes: a host, or the scheme of an app. */
const place = ({ protocol, host }: URL): Html =>
  protocol === "https:"
    ? html`<b>${host}</b>`
    : protocol === "http:"
      ? html`<b>${host}</b>, a program on this computer`
      : html`<b>${protocol}</b>, an app on this device`;

const signInPage = (site: Site, title: string, main: Html, leadsTo?: string) =>
  page({
    title,
    description: "A host asks to use this board for you.",
    path: null,
    site,
    noindex: true,
    main,
    ...(leadsTo !== undefined && { leadsTo }),
  });
