import compression from "compression";
import type { RequestHandler } from "express";

/** Shorter answers gain nothing. */
const WORTHWHILE_BYTES = 1024;

/**
 * Compresses what is read, from 1 KB on, by brotli or gzip. Event streams go out as they are written. So do the answers to
 * POST: some show a secret beside what the caller sent, and their length would tell of it (https://www.breachattack.com).
 * No answer to GET holds a secret.
 */
export function compressed(): RequestHandler {
  const compress = compression({
    threshold: WORTHWHILE_BYTES,
    filter: (request, response) =>
      !String(response.getHeader("Content-Type")).startsWith("text/event-stream") &&
      compression.filter(request, response),
  });
  return (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    // Also on answers that stay as they are, such as a 304: caches compare them with the others.
    response.vary("Accept-Encoding");
    compress(request, response, next);
  };
}
