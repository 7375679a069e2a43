import type { ErrorRequestHandler, Request, Response } from "express";
import type { Dispatcher, Failed } from "../calls/dispatcher.ts";
import type { Envelopes } from "../calls/envelope.ts";
import type { LimitHeaders } from "../calls/limits.ts";
import { setLimitHeaders } from "./requests.ts";

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
    const failed = parts.dispatcher.fail(thrown, { as });
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
