import { hostHeaderValidation, type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isJsonContentType } from "@modelcontextprotocol/server";
import cors from "cors";
import express, { type ErrorRequestHandler, type RequestHandler, type Response, type Router } from "express";
import { FAILURES } from "../../failures.ts";
import { mcpClientOf } from "../calls/clients.ts";
import type { Credentials } from "../calls/dispatcher.ts";
import { credentialsOf, jsonBody } from "../http/requests.ts";
import { type McpParts, mcpServers } from "./server.ts";

/** Codes of JSON-RPC 2.0 that no request id goes with. */
const RPC = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const;

export interface McpRouterParts extends McpParts {
  config: { allowedHosts: readonly string[] };
}

/**
 * `/mcp`, and `/mcp/readonly` with the reading tools alone: streamable HTTP without sessions, for the revision
 * 2026-07-28 and the ones with a handshake before it. Nothing but JSON or an event stream leaves these paths.
 */
export function mcpRouter(parts: McpRouterParts): Router {
  const router = express.Router({ caseSensitive: true });
  const doors = [
    ["/mcp", mcpServers(parts, "all")],
    ["/mcp/readonly", mcpServers(parts, "reading")],
  ] as const;
  for (const [path, serverFor] of doors) {
    const handler = createMcpHandler((request) => serverFor(credentialsIn(request.authInfo)), {
      // Nothing on the board's lists changes while it runs, so nobody needs a stream that waits for changes.
      maxSubscriptions: 0,
      onerror: (error) => parts.logger.debug({ err: error }, "mcp"),
    });
    router.use(path, notBelow(onlyKnownHosts(parts), openCors, postOnly, requireJson, jsonBody));
    router.post(path, answering(toNodeHandler(handler)));
    router.use(path, failureHandler(parts));
  }
  return router;
}

/** Applies the handlers to the path itself, not to what lies below it. */
function notBelow(...handlers: RequestHandler[]): RequestHandler[] {
  return handlers.map((handle) => (request, response, next) => {
    if (request.path === "/") handle(request, response, next);
    else next();
  });
}

/** Refuses names that are not this board's: a page that rebinds its own name to 127.0.0.1 could read the answers. */
function onlyKnownHosts({ site, config }: McpRouterParts): RequestHandler {
  const hosts = [new URL(site.root).host, ...config.allowedHosts];
  const names = hosts
    .filter((host) => URL.canParse(`http://${host}`))
    .map((host) => new URL(`http://${host}`).hostname);
  const isKnown = hostHeaderValidation([...names, "localhost", "127.0.0.1", "[::1]"]);
  return (request, response, next) => {
    if (isKnown(request, response)) next();
  };
}

/** Any origin may ask: nothing is ambient, keys are sent on purpose. */
const openCors = cors({
  origin: "*",
  methods: ["POST"],
  exposedHeaders: ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Retry-After"],
  maxAge: 86_400,
});

/** Without sessions there is no stream to GET and nothing to DELETE. */
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

function answering(handle: NodeMcpRequestHandler): RequestHandler {
  return async (request, response) => {
    const client = mcpClientOf(request.body, request.get("user-agent"));
    const auth = authInfoOf({ ...credentialsOf(request), client });
    await handle(Object.assign(request, { auth }), response, request.body);
  };
}

/**
 * The SDK hands what it calls auth info from the request to the server it is for. Nothing in it was checked yet, and
 * the SDK checks nothing.
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

/** What broke before a message was there: the body, or the board. */
function failureHandler(parts: McpParts): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const { error, status } = parts.dispatcher.fail(thrown, null);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { message } = FAILURES[error.code];
    const code = error.code === "invalid_json" ? RPC.parse : status < 500 ? RPC.invalidRequest : RPC.internal;
    fail(response, status, code, `${message} ${error.hint}`);
  };
}

function fail(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code, message } });
}
