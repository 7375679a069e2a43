import express, { type Request, type RequestHandler, type Response } from "express";
import { BoardError, FAILURES } from "../../../board/failures.ts";
import { setPagePolicy } from "../../http/forms.ts";

/** A notice of 8,000 characters may take twelve bytes for each in a form. */
const FORM_BYTES = 128 * 1024;

export const formBody: RequestHandler = express.urlencoded({
  extended: false,
  limit: FORM_BYTES,
  inflate: false,
});

/** Gives the fields of a form that were filled in. */
export function filledFields(body: unknown, names: readonly string[]): Record<string, string> {
  const sent = (body ?? {}) as Record<string, unknown>;
  const fields: Record<string, string> = {};
  for (const name of names) {
    const value = sent[name];
    if (typeof value === "string" && value.trim() !== "") fields[name] = value;
  }
  return fields;
}

/** The page did not put these fields into its form. */
export function addedFields(body: unknown, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries((body ?? {}) as object).filter(([name]) => !names.includes(name)));
}

/**
 * Tells whether the form stood on a page of another site, as browsers say (`Sec-Fetch-Site`). Visitors do not sign in, so
 * such a form has no rights to abuse; it could only borrow its visitor's address. The visitor is asked again, on our own
 * page.
 */
export function isFromElsewhere(request: Request): boolean {
  const from = request.get("sec-fetch-site");
  return from === "cross-site" || from === "same-site";
}

/** Gives a failure that the visitor may mend in the form. */
export function mendable(thrown: unknown, until = 403): { error: BoardError; status: number } {
  const status = thrown instanceof BoardError ? FAILURES[thrown.code].status : 500;
  if (!(thrown instanceof BoardError) || status > until) throw thrown;
  return { error: thrown, status };
}

/** Sends the answer to a form, which no cache keeps. */
export function sendAnswer(response: Response, status: number, page: string): void {
  setPagePolicy(response);
  response.set("Cache-Control", "no-store").status(status).type("html").send(page);
}
