import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  type McpHttpHandler,
  ProtocolErrorCode,
  type Server,
  validateHostHeader,
} from "@modelcontextprotocol/server";
import cors from "cors";
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import { adviceOn, FAILURES } from "../../../failures.ts";
import { parseUrl } from "../../../parse-url.ts";
import type { StoredPublisher } from "../../../ports/store/index.ts";
import { mcpClientOf } from "../../calls/clients.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import { credentialsOf, jsonBody, lineOf } from "../../http/requests.ts";
import type { SignIn } from "../../sign-in/index.ts";
import type { Door } from "../calls.ts";
import { readMessage, refused } from "../messages.ts";
import { type McpParts, mcpServers } from "../server.ts";
import { EVERY_FORM, inAcceptedForm } from "./accepted-form.ts";
import { type ListeningParts, listening } from "./listening.ts";

/** The JSON-RPC error code of a refusal by HTTP. */
const BY_HTTP = -32000;

export interface McpRouterParts extends McpParts, Pick<ListeningParts, "services"> {
  dispatcher: Dispatcher;
  config: { allowedHosts: readonly string[] };
  /** Null where no host can sign in: there is no `/mcp/me` then. */
  signIn: SignIn | null;
}

/**
 * `/mcp`; `/mcp/data`, whose answers carry typed data too; `/mcp/readonly` with the reading tools only; and `/mcp/me` for
 * the publisher who signed in. Streamable HTTP without sessions, for revision 2026-07-28 and the earlier ones with a handshake. These paths answer with JSON or an
 * event stream, never with HTML.
 *
 * @param adapt  changes each server before it answers; for the conformance suite, which calls tools of its own
 */
export function mcpRouter(parts: McpRouterParts, adapt: (server: Server) => void = () => {}): Router {
  const router = express.Router({ caseSensitive: true });
  const { signIn } = parts;
  const open: RequestHandler = (_request, _response, next) => next();
  const doors: [string, Door, RequestHandler][] = [
    ["/mcp", { surface: "tools", answers: "text" }, open],
    ["/mcp/data", { surface: "tools", answers: "data" }, open],
    ["/mcp/readonly", { surface: "reading", answers: "text" }, open],
  ];
  if (signIn !== null)
    doors.push(["/mcp/me", { surface: "tools", answers: "text", signedIn: true }, signIn.required]);
  for (const [path, door, admit] of doors) {
    const serverFor = mcpServers(parts, door);
    const make = (request: { era: "modern" | "legacy"; authInfo?: AuthInfo }) => {
      const server = serverFor(credentialsIn(request.authInfo), { listen: request.era === "modern" });
      adapt(server);
      return server;
    };
    const handler = createMcpHandler(make, {
      onerror: (error) => parts.logger.debug({ err: error }, "mcp"),
    });
    const listen = listening(parts, { make, surface: door.surface }, callerOf);
    router.use(path, notBelow(onlyKnownHosts(parts), openCors, admit, postOnly, requireJson, jsonBody));
    router.post(path, counting(parts), acceptingAll, listen, answering(handler));
    router.use(path, jsonRpcFailureHandler(parts));
  }
  return router;
}

/** Applies the handlers to the path itself and not to paths below it. */
function notBelow(...handlers: RequestHandler[]): RequestHandler[] {
  return handlers.map((handle) => (request, response, next) => {
    if (request.path === "/") handle(request, response, next);
    else next();
  });
}

/** Refuses foreign host names: a web page could rebind its own name to 127.0.0.1 and read the answers. */
function onlyKnownHosts({ site, config }: McpRouterParts): RequestHandler {
  const hosts = [new URL(site.root).host, ...config.allowedHosts];
  const names = hosts.flatMap((host) => parseUrl(`http://${host}`)?.hostname ?? []);
  const known = [...names, "localhost", "127.0.0.1", "[::1]"];
  return (request, response, next) => {
    const { host } = request.headers;
    const checked = validateHostHeader(host, known);
    // A name before the host would pass, and then break the address that the SDK makes of it.
    if (checked.ok && host?.includes("@") !== true) return next();
    const reason = checked.ok ? "Invalid Host header: it names a user" : checked.message;
    const cure = "Ask at the board's own address; its operator admits further names in ALLOWED_HOSTS.";
    fail(response, 403, BY_HTTP, `${reason}. ${cure}`);
  };
}

/** Any origin may ask: browsers attach no credentials by themselves, keys are sent on purpose. */
const openCors = cors({
  origin: "*",
  methods: ["POST"],
  exposedHeaders: ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Retry-After"],
  maxAge: 86_400,
});

/** Without sessions there is no stream to GET and no session to DELETE. */
const postOnly: RequestHandler = (request, response, next) => {
  if (request.method === "POST") next();
  else
    fail(
      response.set("Allow", "POST, OPTIONS"),
      405,
      BY_HTTP,
      "Method not allowed: this server is stateless, send JSON-RPC by POST.",
    );
};

const requireJson: RequestHandler = (request, response, next) => {
  if (isJsonContentType(request.get("content-type"))) next();
  else fail(response, 415, BY_HTTP, "Unsupported media type: send `Content-Type: application/json`.");
};

/** What a call admits by itself. */
const ADMITTED = new Set(["tools/call", "resources/read", "subscriptions/listen"]);

/** Counts every message that no operation admits, such as `initialize` and `tools/list`, as a read. */
function counting({ dispatcher }: McpRouterParts): RequestHandler {
  return async (request, response, next) => {
    for (const message of [request.body].flat())
      if (!ADMITTED.has(String(message?.method))) await dispatcher.stray(senderOf(request, response));
    next();
  };
}

/** Keeps the caller's `Accept` for the answer, and shows the SDK one that it takes. */
const acceptingAll: RequestHandler = (request, response, next) => {
  response.locals["accept"] = request.headers.accept;
  request.headers.accept = EVERY_FORM;
  next();
};

/** Hands what the SDK can read to it, and answers the rest beside it: a batch may have both. */
function answering({ fetch }: McpHttpHandler): RequestHandler {
  return async (request, response) => {
    const { accept } = response.locals;
    const read = [request.body].flat().map((sent) => ({ sent: sent as unknown, ...readMessage(sent) }));
    const refusals = read.flatMap(({ refusal }) => refusal ?? []);
    const readable = read.flatMap(({ sent, message = sent, refusal }) => (refusal ? [] : [message]));
    const handle = toNodeHandler({
      async fetch(...asked) {
        if (refusals.length === 0) return inAcceptedForm(await fetch(...asked), accept);
        const own = readable[0] ? await inAcceptedForm(await fetch(...asked), "application/json") : null;
        const answers = [JSON.parse((await own?.text()) || "[]"), refusals].flat(2);
        // What is no request fails as one of HTTP; one with wrong parameters has its answer, as from the SDK.
        const status = own || refusals[0]?.error.code === ProtocolErrorCode.InvalidParams ? 200 : 400;
        return inAcceptedForm(Response.json(answers.length > 1 ? answers : answers[0], { status }), accept);
      },
    });
    const body = readable.length > 1 ? readable : (readable[0] ?? request.body);
    await handle(Object.assign(request, { auth: callerOf(request, response).auth }), response, body);
  };
}

/** Who sent a request: at `/mcp/me` the publisher of its token, whatever key comes along. */
function senderOf(request: Request, response: Response): Credentials {
  const signedIn = response.locals["signedIn"] as StoredPublisher | undefined;
  return signedIn === undefined
    ? credentialsOf(request)
    : { ...credentialsOf(request), apiKey: null, signedIn };
}

function callerOf(request: Request, response: Response) {
  const client = mcpClientOf(request.body, request.get("user-agent"));
  const credentials = { ...senderOf(request, response), client, line: lineOf(response) };
  return { credentials, auth: authInfoOf(credentials) };
}

/**
 * Carries the credentials from the request to its server, in what the SDK calls auth info. They are still unchecked, and
 * the SDK does not check them.
 */
const authInfoOf = (credentials: Credentials) => ({
  token: "",
  clientId: "",
  scopes: [],
  extra: { credentials },
});

function credentialsIn(authInfo: { extra?: Record<string, unknown> } | undefined): Credentials {
  return (authInfo?.extra?.["credentials"] as Credentials | undefined) ?? { apiKey: null, address: "" };
}

/** Answers failures from before a message is handled: of the body, of a limit, or of the board. */
function jsonRpcFailureHandler(parts: McpRouterParts): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const { error, status } = parts.dispatcher.fail(thrown, null);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { message } = FAILURES[error.code];
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    const { ParseError, InvalidRequest, InternalError } = ProtocolErrorCode;
    const code = error.code === "invalid_json" ? ParseError : status < 500 ? InvalidRequest : InternalError;
    fail(response, status, code, `${message} ${adviceOn("tools", error.hint)}`, request.body?.id);
  };
}

/** @param id  of the request, if it was read */
function fail(response: Response, status: number, code: number, message: string, id: unknown = null): void {
  response.status(status).json(refused(id, code, message).refusal);
}
