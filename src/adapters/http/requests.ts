import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ParsedUrlQuery, parse } from "node:querystring";
import type { Request, RequestHandler, Response } from "express";
import express from "express";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";
import { BoardError } from "../../board/failures.ts";
import type { Operation } from "../../board/operation.ts";
import type { Line } from "../../domain/subscriptions/waits.ts";
import { LIMITS } from "../../schema/post.ts";
import type { Admission, Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { addressOf, type LimitHeaders } from "../calls/limits.ts";
import { NAME_TWICE, nameTwice } from "../calls/name-twice.ts";

/** At most this many requests are under way at once. Asking the rest to retry is cheaper for everyone than a queue. */
const IN_FLIGHT_MAX = 1_000;

/** Refuses a request with `overloaded` while too many are under way. One that waits for news no longer counts. */
export function boundedInFlight(): RequestHandler {
  let inFlight = 0;
  return (_request, response, next) => {
    if (inFlight >= IN_FLIGHT_MAX) throw new BoardError("overloaded", { retryAfterS: 1 });
    inFlight += 1;
    let counts = true;
    const leave = () => {
      if (counts) inFlight -= 1;
      counts = false;
    };
    response.once("close", leave);
    response.locals["leave"] = leave;
    next();
  };
}

/**
 * Admits the caller of a request. `response.locals["operation"]` keeps the name that its answer or failure counts under.
 * @param own.apiKey  the key of a form, in place of the one in the headers
 * @throws BoardError `rate_limited`
 */
export async function admitted(
  dispatcher: Dispatcher,
  operation: Operation,
  request: Request,
  response: Response,
  { as = operation.name, ...own }: { as?: string; apiKey?: string | null } = {},
): Promise<Admission> {
  response.locals["operation"] = as;
  const onCounted = () => void counted.add(response);
  const credentials = { ...credentialsOf(request), ...own, line: lineOf(response), onCounted };
  const admission = await dispatcher.admit(operation, credentials);
  setLimitHeaders(response, admission.limits);
  return admission;
}

/** Gives the line to the client of a response; it is closed when the client hangs up before the answer has ended. */
export function lineOf(response: Response): Line {
  let closed: AbortController | null = null;
  return {
    get closed() {
      if (closed === null) {
        const controller = new AbortController();
        closed = controller;
        if (response.destroyed) controller.abort();
        // An abort makes an error with a stack, so it is left out after an answer that has gone out.
        else response.once("close", () => response.writableFinished || controller.abort());
      }
      return closed.signal;
    },
    rest() {
      rested.add(response);
      response.locals["leave"]?.();
    },
  };
}

const rested = new WeakSet<ServerResponse>();

/** True once the call has waited for news. */
export const hasRested = (response: ServerResponse): boolean => rested.has(response);

const counted = new WeakSet<ServerResponse>();

/** Counts a request that no operation admits against the limit of reads. */
export function countedAsRead(dispatcher: Dispatcher): RequestHandler {
  return async (request, response, next) => {
    await countRead(dispatcher, credentialsOf(request), response);
    next();
  };
}

/** @throws BoardError `rate_limited` */
export async function countRead(
  dispatcher: Dispatcher,
  credentials: Credentials,
  response: Response,
): Promise<void> {
  const onCounted = () => void counted.add(response);
  setLimitHeaders(response, await dispatcher.stray({ ...credentials, onCounted }));
}

/**
 * Counts a failure as a read unless its request was counted before: of an unknown address, or a body that cannot be read.
 * @returns what was thrown, or `rate_limited` in its place
 */
export async function countedFailure(
  dispatcher: Dispatcher,
  thrown: unknown,
  credentials: Credentials,
  response: Response,
): Promise<unknown> {
  if (counted.has(response)) return thrown;
  try {
    await countRead(dispatcher, credentials, response);
    return thrown;
  } catch (error) {
    return error instanceof BoardError ? error : thrown;
  }
}

/**
 * Reads the key from `Authorization: Bearer`, else from `x-api-key`, never from the query. A key of this board counts
 * under any scheme, or none: an agent that got `missing_api_key` for it would register again.
 */
export function credentialsOf(request: Request): Credentials {
  const sent = request.get("authorization") ?? "";
  const [, basic] = /^Basic\s+(\S+)/i.exec(sent) ?? [];
  const said = basic === undefined ? sent : Buffer.from(basic, "base64").toString();
  const [key] = /bbk_\w+/.exec(said) ?? [];
  const [, bearer] = /^Bearer\s+(\S+)\s*$/i.exec(said) ?? [];
  return {
    apiKey: key ?? bearer ?? request.get("x-api-key") ?? null,
    address: request.ip ?? request.socket.remoteAddress ?? "",
    client: clientOf(request.get("user-agent")),
    onCaller: (id) => {
      if (request.res !== undefined) request.res.locals["publisher"] = id;
    },
  };
}

/**
 * Reads a query: names such as `kind[]` and `kind[0]`, which some languages write for lists, are `kind`; an empty value
 * counts as none, except that `q` may be empty.
 */
export function readQuery(sent: string | null): ParsedUrlQuery {
  const plain = (sent ?? "").replace(/(?:\[|%5B)\d*(?:\]|%5D)(?==)/gi, "");
  return Object.fromEntries(
    Object.entries(parse(plain)).filter(([name, value]) => value !== "" || name === "q"),
  );
}

/** Gives the query as sent. It starts at the first question mark and may contain others. */
export function sentQuery(request: Request): URLSearchParams {
  const start = request.originalUrl.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : request.originalUrl.slice(start));
}

/**
 * The statistics tell these programs apart, by the first characters of `User-Agent` or of the name in MCP's client info.
 * Whatever a caller sends, only these names, `other` and `none` are ever kept. A name comes before its beginnings.
 */
const PROGRAMS =
  "claude-code claude cursor vscode copilot codex chatgpt openai gemini windsurf cline roo zed goose opencode openclaw " +
  "lm-studio librechat mcp-inspector mcp-remote agent-board curl wget python-requests python-httpx python aiohttp axios " +
  "node bun deno okhttp java ruby php postman insomnia";

/** Some clients are named otherwise than they call themselves. */
const OTHERS: readonly (readonly [prefix: string, name: string])[] = [
  ["claude code", "claude-code"],
  ["visual studio code", "vscode"],
  ["github-copilot", "copilot"],
  ["lm studio", "lm-studio"],
  ["lmstudio", "lm-studio"],
  ["undici", "node"],
  ["go-http-client", "go"],
  ["mozilla", "browser"],
];

const KNOWN = [...OTHERS, ...PROGRAMS.split(" ").map((name) => [name, name] as const)];

/** Names a program out of that fixed set. */
export function clientOf(said: string | undefined): string {
  const text = (said ?? "").trim().toLowerCase();
  if (text === "") return "none";
  return KNOWN.find(([prefix]) => text.startsWith(prefix))?.[1] ?? "other";
}

/** Parses any body as JSON, whatever its media type. It must be UTF-8: other bytes would be stored as U+FFFD. */
export const jsonBody: RequestHandler = (request, response, next) => {
  const type = request.headers["content-type"];
  // A common name of UTF-8 that the parser does not know.
  if (type !== undefined) request.headers["content-type"] = type.replace(/utf8\b/i, "utf-8");
  parseJson(request, response, (problem?: unknown) => {
    const name = problem === undefined ? nameTwice(textOf.get(request) ?? "") : null;
    if (name === null) return next(problem);
    const issues = [
      { path: name.slice(0, 100), code: "duplicate_name", message: "Must stand once in an object." },
    ];
    next(new BoardError("invalid_request", { issues, hint: NAME_TWICE }));
  });
};

/** Counts bodies under way, before they are parsed. */
const textOf = new WeakMap<IncomingMessage, string>();

const parseJson = express.json({
  limit: LIMITS.requestBytes,
  inflate: false,
  strict: false,
  type: () => true,
  verify(request, _response, bytes, charset) {
    if (charset !== "utf-8") throw new BoardError("unsupported_media_type");
    if (!isUtf8(bytes)) throw new BoardError("invalid_json");
    textOf.set(request, bytes.toString());
  },
});

/** Requires a body to declare itself as JSON. A request without a body is fine: it counts as an empty object. */
export const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    request.get("transfer-encoding") !== undefined || Number(request.get("content-length") ?? 0) > 0;
  if (hasBody && request.is(["application/json", "application/*+json"]) === false) {
    throw new BoardError("unsupported_media_type");
  }
  next();
};

/** @param limits  null when limits are off */
export function setLimitHeaders(response: Response, limits: LimitHeaders | null | undefined): void {
  if (limits === null || limits === undefined) return;
  response.set("RateLimit-Policy", limits.policy);
  response.set("RateLimit", limits.state);
}

/** Whether the process lives and is ready is asked every few seconds. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/**
 * Gives each answer an id, `X-Request-Id`, and logs a line with it: method, path, status, time, shortened address, and the
 * publisher that called. No key, body or query; and no line for a probe.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const id = randomUUID();
    response.set("X-Request-Id", id);
    if (!logger.isLevelEnabled("info") || PROBES.has(request.path)) {
      next();
      return;
    }
    const began = performance.now();
    // Keys do not belong in paths. A key sent there anyway stays out of the log, and so does the name of a sign-in under way.
    const path = (request.originalUrl.split("?")[0] ?? "")
      .slice(0, 200)
      .replace(/bbk_\w+/g, "bbk_…")
      .replace(/^(\/oauth\/\w+\/.{0,4}).*/i, "$1…");
    const address = shortened(request.ip ?? "");
    const { method } = request;
    response.once("close", () => {
      const ms = Math.round((performance.now() - began) * 10) / 10;
      const status = response.writableFinished ? response.statusCode : 499;
      const { publisher } = response.locals;
      logger.info({ request: id, method, path, status, ms, address, publisher }, "answered");
    });
    next();
  };
}

/** Cuts an address to its /24, or /48 for IPv6, so that it does not identify one machine. */
function shortened(sent: string): string {
  const address = addressOf(sent);
  if (address === null) return "";
  return address instanceof ipaddr.IPv4
    ? address.toString().replace(/\.\d+$/, ".0")
    : `${address.parts
        .slice(0, 3)
        .map((part) => part.toString(16))
        .join(":")}::`;
}
