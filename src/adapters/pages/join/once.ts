import { randomUUID } from "node:crypto";
import { KEPT_MS } from "../../calls/kept-answers.ts";
import { type Html, html } from "../frame/html.ts";

/** The field is sent along with what is published, so that a page that is loaded again publishes nothing twice. */
export const publishedOnce = (): Html =>
  html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">`;

/**
 * The field is sent along with what is answered by a key, so that a page that is loaded again shows the same one. It
 * tells when the form was shown, and nobody can guess it.
 * @param now  epoch milliseconds
 */
export const answeredOnce = (now: number): Html =>
  html`<input type="hidden" name="once" value="${now.toString(36)}-${randomUUID()}">`;

/** Tells whether no answer to a form can have been given and forgotten since it was shown. */
export const isFresh = (once: string, now: number): boolean => now - Number.parseInt(once, 36) < KEPT_MS;
