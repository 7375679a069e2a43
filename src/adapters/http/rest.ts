import cors from "cors";
import express, { type Request, type RequestHandler, type Router } from "express";
import { BoardError } from "../../board/failures.ts";
import { type Operation, OUTCOME_STATUS, takesIdempotencyKey } from "../../board/operation.ts";
import { actOf } from "../calls/acting-fields.ts";
import type { Admission, Dispatcher } from "../calls/dispatcher.ts";
import type { Success } from "../calls/envelope.ts";
import type { RepeatedCall } from "../calls/kept-answers.ts";
import { addNextLink, namesTag, sendTagged, tagOf } from "./answers.ts";
import { admitted, countedAsRead, credentialsOf, jsonBody, requireJson } from "./requests.ts";

/** Scripts of web pages may read these headers of answers. */
const EXPOSED =
  "ETag Link Location RateLimit RateLimit-Policy Retry-After Idempotency-Replayed WWW-Authenticate " +
  "Mcp-Session-Id Mcp-Protocol-Version Mcp-Method Mcp-Name X-Request-Id";

/** Every origin may call: browsers attach no credentials by themselves, keys travel in headers only. */
export const openCors = cors({
  origin: "*",
  credentials: false,
  exposedHeaders: EXPOSED.split(" "),
  maxAge: 86_400,
});

/**
 * Puts every operation on its REST route. A GET takes its input from path and query, other methods from path and JSON
 * body. A known path answers other methods with 405; an unknown path is a 404.
 */
export function restRouter(operations: readonly Operation[], dispatcher: Dispatcher): Router {
  const router = express.Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  // Fixed paths come before those with an id, so `me` of `/publishers/me` is not read as an id.
  for (const operation of [...operations].sort((a, b) => idsIn(a.rest.path) - idsIn(b.rest.path))) {
    for (const path of [operation.rest.path, ...(operation.rest.also ?? [])]) {
      const pattern = path.replace(/\{(\w+)\}/g, ":$1");
      methods.set(pattern, [...(methods.get(pattern) ?? []), operation.rest.method]);
      const method = operation.rest.method.toLowerCase() as "get" | "post" | "patch" | "delete";
      const reading = operations.find(
        ({ rest }) => rest.method === "GET" && rest.path === operation.rest.path,
      );
      router[method](pattern, ...routeOf(operation, dispatcher, reading));
    }
  }
  const countStray = countedAsRead(dispatcher);
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
  return router;
}

const idsIn = (path: string) => path.split("{").length;

/** Handles one operation: admission, then the body, then the answer. */
export function routeOf(operation: Operation, dispatcher: Dispatcher, reading?: Operation): RequestHandler[] {
  const readsQuery = operation.rest.method === "GET";
  return [
    async (request, response, next) => {
      const admission = await admitted(dispatcher, operation, request, response);
      response.locals["admission"] = admission;
      // A key that the first call replaced still names its answer.
      if (admission.refusal !== null && repeatedCall(operation, request, {}) === null)
        throw admission.refusal;
      next();
    },
    ...(readsQuery ? [] : [requireJson, jsonBody]),
    async (request, response) => {
      // A missing body counts as an empty object; a JSON null does not.
      const json: unknown = request.body === undefined ? {} : request.body;
      const sent: unknown = readsQuery ? request.query : json;
      if (typeof sent !== "object" || sent === null || Array.isArray(sent)) {
        const issues = [{ path: "", code: "invalid_type", message: "Must be one JSON object." }];
        throw new BoardError("invalid_request", { issues });
      }
      const input: Record<string, unknown> = { ...sent, ...request.params };
      // A write takes no parameters from its address, but one such as `?dry_run=true` must not be passed over.
      if (!readsQuery) {
        for (const [name, value] of Object.entries(request.query)) {
          if (!Object.hasOwn(operation.input.shape, name) && actOf(name) !== null) input[name] ??= value;
        }
      }
      const key = request.get("idempotency-key");
      // Clients may send the header with every write.
      if (key !== undefined && takesIdempotencyKey(operation)) input["idempotency_key"] ??= key;
      const admission: Admission = response.locals["admission"];
      const source = readsQuery ? "query" : "body";
      const perform = () => dispatcher.perform(operation, admission, input, source);
      const repeated = repeatedCall(operation, request, input);
      if (repeated !== null) {
        const answer = await dispatcher.answers.once(repeated, async () => {
          const { reply, body } = await perform();
          return { status: OUTCOME_STATUS[reply.outcome], location: reply.location ?? null, body };
        });
        if (answer.location !== null) response.set("Location", answer.location);
        if (answer.replayed) response.set("Idempotency-Replayed", "true");
        return void response.status(answer.status).json(answer.body);
      }
      const isConditional =
        reading !== undefined && !readsQuery && CONDITIONS.some((name) => request.get(name) !== undefined);
      const { reply, body } = isConditional
        ? await dispatcher.answers.alone(`if-match ${request.path} ${admission.caller?.id}`, async () => {
            const present = await dispatcher.ask(reading, { ...admission, notes: [] }, request.params);
            if (!meetsConditions(request, present)) throw new BoardError("precondition_failed");
            return perform();
          })
        : await perform();
      response.status(OUTCOME_STATUS[reply.outcome]);
      if (reply.location !== undefined) response.set("Location", reply.location);
      if (reply.replayed === true) response.set("Idempotency-Replayed", "true");
      if (typeof reply.nextCursor === "string") addNextLink(request, response, reply.nextCursor);
      if (!readsQuery) return void response.json(body);
      const text = JSON.stringify(body);
      response.vary("Authorization");
      sendTagged(request, response, { type: JSON_TYPE, text, keep: "no-cache", tagged: lastingText(text) });
    },
  ];
}

/** Finds the call that a request with `Idempotency-Key` repeats, or is the first of; null where no answer is kept. */
function repeatedCall(operation: Operation, request: Request, input: unknown): RepeatedCall | null {
  const idempotencyKey = request.get("idempotency-key");
  const { apiKey, address } = credentialsOf(request);
  if (operation.repeatable !== true || idempotencyKey === undefined) return null;
  if (apiKey === null && operation.auth === "key") return null;
  const caller = apiKey ?? `${address} ${request.get("user-agent")}`;
  return { operation: operation.name, idempotencyKey, caller, input };
}

const CONDITIONS = ["if-match", "if-unmodified-since"];

/** Tells whether what is to be changed is still the version that the caller has seen. `If-Match` counts before the date. */
function meetsConditions(request: Request, present: Success): boolean {
  const named = request.get("if-match");
  if (named !== undefined) return namesTag(named, tagOf(lastingText(JSON.stringify(present))));
  const since = Date.parse(request.get("if-unmodified-since") ?? "");
  const changed = Date.parse(String((present.data as { updated_at?: string }).updated_at));
  // The header has no fractions of seconds. Without either date there is nothing to compare.
  return !(Math.floor(changed / 1_000) * 1_000 > since);
}

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Leaves out of an answer the counts that change by themselves: `meta.board`, and the retrievals that a search itself
 * raises. Without them an unchanged answer stays a 304. Within strings quotes are escaped, so only members are cut.
 *
 * @param text  an envelope as JSON, its `meta` last and `board` first in it
 */
function lastingText(text: string): string {
  const board = text.lastIndexOf(BOARD);
  if (board === -1) return text;
  const rest = text.indexOf("}", board);
  return text.slice(0, board).replace(/"retrievals":\d+/g, "") + text.slice(rest);
}

const BOARD = '"meta":{"board":{';
