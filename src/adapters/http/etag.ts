import { createHash } from "node:crypto";
import type { Request, Response } from "express";

/** The tag of a text, without quotes. Equal texts have equal tags. */
export const tagOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/**
 * Sets the tag, and answers 304 when the caller already has that version.
 *
 * `request.fresh` would not do: fetch sends `Cache-Control: no-cache` with a tag, and Express then calls nothing fresh.
 *
 * @returns true when it has sent the answer
 */
export function sentAsNotModified(request: Request, response: Response, tag: string): boolean {
  response.set("ETag", `W/"${tag}"`);
  const known = (request.get("if-none-match") ?? "")
    .split(",")
    // Servers in front that compress mark the tag with their encoding: "…-gzip", "…;br".
    .map((each) =>
      each
        .trim()
        .replace(/^W\//, "")
        .replace(/[-;]+(gzip|br|zstd|deflate)"$/, '"'),
    );
  if (!known.includes(`"${tag}"`) && !known.includes("*")) return false;
  response.status(304).end();
  return true;
}
