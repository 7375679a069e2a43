import { createHash } from "node:crypto";
import compression from "compression";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { Dispatcher, Failed } from "../calls/dispatcher.ts";
import type { Envelopes } from "../calls/envelope.ts";
import type { LimitHeaders } from "../calls/limits.ts";
import { countedFailure, credentialsOf, sentQuery, setLimitHeaders } from "./requests.ts";

/**
 * Sends a text with a tag, or 304 when the caller already has this version.
 * @param keep  how long caches may keep it
 * @param tagged  the part of the text that makes a version
 */
export function sendTagged(
  request: Request,
  response: Response,
  { type, text, keep, tagged = text }: { type: string; text: string; keep: string; tagged?: string },
): void {
  response.set("Cache-Control", keep);
  // A failure has no versions.
  if (response.statusCode === 200) {
    const tag = tagOf(tagged);
    response.set("ETag", `W/"${tag}"`);
    // `request.fresh` would not do: fetch sends `Cache-Control: no-cache` with a tag, and Express then calls nothing fresh.
    if (namesTag(request.get("if-none-match"), tag)) return void response.status(304).end();
  }
  // Bytes are sent: to a text Express would add a charset, which some types do not have.
  response.setHeader("Content-Type", type);
  response.send(Buffer.from(text));
}

/** Tags the version of a text. All tags are weak: encodings of one text have the same. */
export const tagOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Tells whether `If-None-Match` or `If-Match` names the version with this tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  const named = (header ?? "")
    .split(",")
    // Servers in front that compress mark the tag with their encoding: "…-gzip", "…;br".
    .map((each) =>
      each
        .trim()
        .replace(/^W\//, "")
        .replace(/[-;]+(gzip|br|zstd|deflate)"$/, '"'),
    );
  return named.includes(`"${tag}"`) || named.includes("*");
}

/** Longer addresses stay out of headers: clients and proxies limit their size. */
const ADDRESS_CHARS = 1_500;

/** Adds an address to the `Link` header (RFC 8288), unless it is too long for one. */
export function addLink(response: Response, address: string, relation: string, type?: string): void {
  if (address.length > ADDRESS_CHARS) return;
  const target = address.replace(/[<>"\s]/g, encodeURIComponent);
  response.append("Link", `<${target}>; rel="${relation}"${type === undefined ? "" : `; type="${type}"`}`);
}

/** Adds the next page to the `Link` header: the same request with another cursor. */
export function addNextLink(request: Request, response: Response, cursor: string): void {
  const query = sentQuery(request);
  query.set("cursor", cursor);
  addLink(response, `${request.baseUrl}${request.path}?${query}`, "next");
}

/** Shorter answers gain nothing. */
const WORTHWHILE_BYTES = 1024;

/**
 * Compresses what is read, from 1 KB on, by brotli or gzip. Event streams go out as they are written. So do the answers to
 * POST: some show a secret beside what the caller sent, and their length would tell of it (https://www.breachattack.com).
 * No answer to GET holds a secret, but the operator's pages, whose forms have a token, which go out plain too. HEAD is answered
 * as GET from here on, so that its headers are the same; Node leaves out the body.
 */
export function compressed(): RequestHandler {
  const compress = compression({
    threshold: WORTHWHILE_BYTES,
    filter: (request, response) =>
      !String(response.getHeader("Content-Type")).startsWith("text/event-stream") &&
      compression.filter(request, response),
  });
  return (request, response, next) => {
    if (request.method === "HEAD") request.method = "GET";
    if (request.method !== "GET" || /^\/operate\b/.test(request.path)) return next();
    // Answers that stay as they are have it too, such as a 304: caches compare them with the others.
    response.vary("Accept-Encoding");
    compress(request, response, next);
  };
}

/** Sends a failure as a page. Returns false, and sends nothing, if the caller did not ask for a page. */
export type FailurePage = (failed: Failed, request: Request, response: Response) => boolean;

/**
 * Turns anything thrown into the error envelope, or into a page if the caller asked for one. Anything that is not a
 * BoardError is logged whole, once.
 */
export function failureHandler(
  parts: { dispatcher: Dispatcher; envelopes: Envelopes; clock: () => number },
  sendPage: FailurePage = () => false,
): ErrorRequestHandler {
  return async (thrown: unknown, request, response, _next) => {
    const as = String(response.locals["operation"] ?? "unknown");
    const said = await countedFailure(parts.dispatcher, thrown, credentialsOf(request), response);
    const failed = parts.dispatcher.fail(said, { as });
    const { error, status, reference } = failed;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.code === "rate_limited") setLimitHeaders(response, error.cause as LimitHeaders | undefined);
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    if (status === 401) response.set("WWW-Authenticate", 'Bearer realm="board"');
    response.status(status);
    if (sendPage(failed, request, response)) return;
    response.json(await parts.envelopes.failure(error, parts.clock(), reference));
  };
}
