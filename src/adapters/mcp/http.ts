import { hostHeaderValidation, type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  type Server,
} from "@modelcontextprotocol/server";
import cors from "cors";
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import { adviceOn, FAILURES } from "../../failures.ts";
import { parseUrl } from "../../parse-url.ts";
import type { StoredPublisher } from "../../ports/store/index.ts";
import { mcpClientOf } from "../calls/clients.ts";
import type { Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { credentialsOf, jsonBody, lineOf } from "../http/requests.ts";
import type { SignIn } from "../sign-in/index.ts";
import { withArguments } from "./arguments.ts";
import type { Door } from "./calls.ts";
import { type ListeningParts, listening } from "./listening.ts";
import { type McpParts, mcpServers } from "./server.ts";

/** JSON-RPC 2.0 error codes for answers without a request id. */
const RPC = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const;

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
    router.post(path, counting(parts), listen, answering(toNodeHandler(handler)));
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
  const isKnown = hostHeaderValidation([...names, "localhost", "127.0.0.1", "[::1]"]);
  return (request, response, next) => {
    if (isKnown(request, response)) next();
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
      RPC.server,
      "Method not allowed: this server is stateless, send JSON-RPC by POST.",
    );
};

const requireJson: RequestHandler = (request, response, next) => {
  if (isJsonContentType(request.get("content-type"))) next();
  else fail(response, 415, RPC.server, "Unsupported media type: send `Content-Type: application/json`.");
};

/** What a call admits by itself. */
const ADMITTED = new Set(["tools/call", "resources/read", "subscriptions/listen"]);

/** Counts every message that no operation admits, such as `initialize` and `tools/list`, as a read. */
function counting({ dispatcher }: McpRouterParts): RequestHandler {
  return async (request, response, next) => {
    const messages: unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    for (const message of messages) {
      const method = (message as { method?: unknown } | null)?.method;
      if (!ADMITTED.has(String(method))) await dispatcher.stray(senderOf(request, response));
    }
    next();
  };
}

function answering(handle: NodeMcpRequestHandler): RequestHandler {
  return async (request, response) => {
    const { auth } = callerOf(request, response);
    await handle(Object.assign(request, { auth }), response, withArguments(request.body));
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

/** Answers failures from before a message is read: of the body, or of the board. */
function jsonRpcFailureHandler(parts: McpRouterParts): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const { error, status } = parts.dispatcher.fail(thrown, null);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { message } = FAILURES[error.code];
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    const code = error.code === "invalid_json" ? RPC.parse : status < 500 ? RPC.invalidRequest : RPC.internal;
    fail(response, status, code, `${message} ${adviceOn("tools", error.hint)}`);
  };
}

function fail(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code, message } });
}
