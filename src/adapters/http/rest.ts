import { isUtf8 } from "node:buffer";
import cors from "cors";
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import type { Logger } from "pino";
import { BoardError, FAILURES } from "../../failures.ts";
import { type Operation, OUTCOME_STATUS } from "../../operation.ts";
import { LIMITS } from "../../schema/post.ts";
import { clientOf } from "../calls/clients.ts";
import type { Calls, Credentials } from "../calls/dispatcher.ts";
import type { Envelopes } from "../calls/envelope.ts";
import { asBoardError, logFailure } from "../calls/errors.ts";
import type { LimitHeaders } from "../calls/limits.ts";
import { sentAsNotModified, tagOf } from "./etag.ts";
import { addNextLink } from "./links.ts";

const EXPOSED = [
  "ETag",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Idempotency-Replayed",
  "WWW-Authenticate",
];

export interface RestParts {
  calls: Calls;
  envelopes: Envelopes;
  logger: Logger;
  clock: () => number;
  /** Told of every answer, for the statistics. */
  answered: (operation: string, status: number) => void;
}

/** Every origin may read, nothing is ambient: keys travel in headers only. */
export const openCors = cors({ origin: "*", credentials: false, exposedHeaders: EXPOSED, maxAge: 86_400 });

/**
 * Puts every operation on its REST route. A GET takes its input from path and query, the rest from path and JSON body.
 * A path that exists answers other methods with 405, everything else with 404, all in the envelope.
 */
export function restRouter(operations: readonly Operation[], parts: RestParts): Router {
  const router = express.Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  // Fixed paths come before those with an id, so that `/publishers/me` is not taken for a publisher.
  for (const operation of [...operations].sort((a, b) => idsIn(a.rest.path) - idsIn(b.rest.path))) {
    for (const path of [operation.rest.path, ...(operation.rest.also ?? [])]) {
      const pattern = path.replace(/\{(\w+)\}/g, ":$1");
      methods.set(pattern, [...(methods.get(pattern) ?? []), operation.rest.method]);
      const method = operation.rest.method.toLowerCase() as "get" | "post" | "patch" | "delete";
      router[method](pattern, ...routeOf(operation, parts));
    }
  }
  const countStray: RequestHandler = async (request, response, next) => {
    setLimitHeaders(response, await parts.calls.stray(credentialsOf(request)));
    next();
  };
  for (const [pattern, allowed] of methods) {
    router.all(pattern, countStray, (_request, response) => {
      response.set(
        "Allow",
        [...allowed.sort(), ...(allowed.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", "),
      );
      throw new BoardError("method_not_allowed");
    });
  }
  router.use(countStray, () => {
    throw new BoardError("not_found");
  });
  router.use(failureHandler(parts));
  return router;
}

const idsIn = (path: string) => path.split("{").length;

/**
 * The handlers of one operation: admission, then the body, then the answer.
 * @param options.counts  false for feeds and pages
 */
export function routeOf(
  operation: Operation,
  parts: RestParts,
  options: { counts: boolean } = { counts: true },
): RequestHandler[] {
  const { calls } = parts;
  const readsQuery = operation.rest.method === "GET";
  return [
    async (request, response, next) => {
      response.locals["operation"] = operation.name;
      const admission = await calls.admit(operation, credentialsOf(request));
      response.locals["admission"] = admission;
      setLimitHeaders(response, admission.limits);
      if (admission.refusal !== null) throw admission.refusal;
      next();
    },
    ...(readsQuery ? [] : [requireJson, jsonBody]),
    async (request, response) => {
      // No body at all is an empty object; a JSON null is not.
      const json: unknown = request.body === undefined ? {} : request.body;
      const sent: unknown = readsQuery ? request.query : json;
      if (typeof sent !== "object" || sent === null || Array.isArray(sent)) {
        const issues = [{ path: "", code: "invalid_type", message: "Must be one JSON object." }];
        throw new BoardError("invalid_request", { issues });
      }
      const input: Record<string, unknown> = { ...sent, ...request.params };
      const key = request.get("idempotency-key");
      // Clients may send the header with every write; only creations know it.
      if (
        key !== undefined &&
        operation.outcomes.includes("created") &&
        "idempotency_key" in operation.input.shape
      ) {
        input["idempotency_key"] ??= key;
      }
      const { reply, body } = await calls.perform(
        operation,
        response.locals["admission"],
        input,
        readsQuery ? "query" : "body",
        options.counts,
      );
      response.status(OUTCOME_STATUS[reply.outcome]);
      if (reply.location !== undefined) response.set("Location", reply.location);
      if (reply.replayed === true) response.set("Idempotency-Replayed", "true");
      if (typeof reply.nextCursor === "string") addNextLink(request, response, reply.nextCursor);
      parts.answered(operation.name, response.statusCode);
      if (readsQuery) sendCacheable(request, response, body);
      else response.json(body);
    },
  ];
}

/** Turns whatever was thrown into the error envelope. Anything that is not a BoardError is logged whole, once. */
export function failureHandler(parts: RestParts): ErrorRequestHandler {
  return async (thrown: unknown, _request, response, _next) => {
    const error = asBoardError(thrown);
    const { status } = FAILURES[error.code];
    const reference = logFailure(error, parts.logger);
    parts.answered(String(response.locals["operation"] ?? "unknown"), status);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.code === "rate_limited") setLimitHeaders(response, error.cause as LimitHeaders | undefined);
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    if (status === 401) response.set("WWW-Authenticate", 'Bearer realm="board"');
    response.status(status).json(await parts.envelopes.failure(error, parts.clock(), reference));
  };
}

/**
 * The key of a request: `Authorization: Bearer`, else `x-api-key`; never the query. A key whose scheme was forgotten counts:
 * taken for none, its owner would be told to register once more.
 */
export function credentialsOf(request: Request): Credentials {
  const [, bearer, bare] = AUTHORIZATION.exec(request.get("authorization") ?? "") ?? [];
  return {
    apiKey: bearer ?? bare ?? request.get("x-api-key") ?? null,
    address: request.ip ?? request.socket.remoteAddress ?? "",
    client: clientOf(request.get("user-agent")),
  };
}

const AUTHORIZATION = /^(?:Bearer\s+(\S+)|(bbk_\S+))\s*$/i;

/** Reads a body as JSON, whatever its type says. What is no UTF-8 is refused: its text would be kept with holes. */
export const jsonBody = express.json({
  limit: LIMITS.requestBytes,
  inflate: false,
  strict: false,
  type: () => true,
  verify(_request, _response, bytes, charset) {
    if (charset !== "utf-8") throw new BoardError("unsupported_media_type");
    if (!isUtf8(bytes)) throw new BoardError("invalid_json");
  },
});

/** A body must say that it is JSON; no body at all is an empty object. */
const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    request.get("transfer-encoding") !== undefined || Number(request.get("content-length") ?? 0) > 0;
  if (hasBody && request.is(["application/json", "application/*+json"]) === false) {
    throw new BoardError("unsupported_media_type");
  }
  next();
};

/** @param limits  null where limits are off */
export function setLimitHeaders(response: Response, limits: LimitHeaders | null | undefined): void {
  if (limits === null || limits === undefined) return;
  response.set("RateLimit-Policy", limits.policy);
  response.set("RateLimit", limits.state);
}

/**
 * The tag covers what was asked for, not the live counts in `meta` and not the retrievals that a search itself raises,
 * so that an unchanged answer stays a 304.
 */
function sendCacheable(
  request: Request,
  response: Response,
  body: { data: unknown; next_cursor?: string | null; meta: Record<string, unknown> },
): void {
  const { board: _board, ...meta } = body.meta;
  response.set("Cache-Control", "no-cache").vary("Authorization");
  const still = JSON.stringify([body.data, body.next_cursor, meta], (name, value) =>
    name === "retrievals" ? undefined : value,
  );
  const tag = tagOf(still);
  if (!sentAsNotModified(request, response, tag)) response.json(body);
}
