import { createHash } from "node:crypto";
import type { Request, Response } from "express";

/** A tag for what was asked for: the same text, the same tag. Without quotes. */
export const tagOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/**
 * Sets the tag, and answers 304 when the caller has that version already.
 *
 * It does not ask `request.fresh`: fetch sends `Cache-Control: no-cache` along with a tag, and express then says no.
 *
 * @returns true when the answer has been sent
 */
export function sentAsNotModified(request: Request, response: Response, tag: string): boolean {
  response.set("ETag", `W/"${tag}"`);
  const known = (request.get("if-none-match") ?? "")
    .split(",")
    .map((each) => each.trim().replace(/^W\//, ""));
  if (!known.includes(`"${tag}"`) && !known.includes("*")) return false;
  response.status(304).end();
  return true;
}
