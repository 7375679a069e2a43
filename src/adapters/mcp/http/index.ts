import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isJsonContentType,
  ProtocolErrorCode,
  type Server,
  validateHostHeader,
} from "@modelcontextprotocol/server";
import express, {
  type ErrorRequestHandler,
  type Response as ExpressResponse,
  type Request,
  type RequestHandler,
  type Router,
} from "express";
import { adviceOn, FAILURES } from "../../../failures.ts";
import { parseUrl } from "../../../parse-url.ts";
import type { StoredPublisher } from "../../../ports/store/index.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import { clientOf, credentialsOf, jsonBody, lineOf } from "../../http/requests.ts";
import { openCors } from "../../http/rest.ts";
import type { SignIn } from "../../sign-in/index.ts";
import type { Door } from "../calls.ts";
import { readMessage, refused } from "../messages.ts";
import { type McpParts, mcpServers } from "../server.ts";
import { type ListeningParts, streamAsked } from "./listening.ts";

/** The JSON-RPC error code of a refusal by HTTP. */
const BY_HTTP = -32000;

export interface McpRouterParts extends McpParts, Pick<ListeningParts, "services"> {
  dispatcher: Dispatcher;
  config: { allowedHosts: readonly string[] };
  /** Null where no host can sign in: there is no `/mcp/me` then. */
  signIn: SignIn | null;
}

/**
 * `/mcp`; `/mcp/data`, whose answers carry typed data too; `/mcp/readonly` with the reading tools only; and `/mcp/me` for the
 * publisher who signed in. Streamable HTTP without sessions, for revision 2026-07-28 and the earlier ones with a handshake.
 * These paths answer with JSON or an event stream, never with HTML.
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
    const make = mcpServers(parts, door);
    const serverFor: typeof make = (...from) => {
      const server = make(...from);
      adapt(server);
      return server;
    };
    const reading = [onlyKnownHosts(parts), openCors, admit, postOnly, requireJson, jsonBody];
    router.all(path, ...reading, counting(parts), answering(parts, door, serverFor));
    router.use(path, jsonRpcFailureHandler(parts));
  }
  return router;
}

/** Refuses foreign host names: a web page could rebind its own name to 127.0.0.1 and read the answers. */
function onlyKnownHosts({ site, config }: McpRouterParts): RequestHandler {
  const hosts = [new URL(site.root).host, ...config.allowedHosts];
  const names = hosts.flatMap((host) => parseUrl(`http://${host}`)?.hostname ?? []);
  const known = [...names, "localhost", "127.0.0.1", "[::1]"];
  return (request, response, next) => {
    const { host } = request.headers;
    const checked = validateHostHeader(host, known);
    // A user's name before the host would pass the check, and then break the address that the SDK makes of the host.
    if (checked.ok && host?.includes("@") !== true) return next();
    const reason = checked.ok ? "Invalid Host header: it names a user" : checked.message;
    const cure = "Ask at the board's own address; its operator admits further names in ALLOWED_HOSTS.";
    fail(response, 403, BY_HTTP, `${reason}. ${cure}`);
  };
}

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

/** Methods that an operation admits. */
const ADMITTED = new Set(["tools/call", "resources/read", "subscriptions/listen"]);

/** Counts every message that no operation admits, such as `initialize` and `tools/list`, as a read. */
function counting({ dispatcher }: McpRouterParts): RequestHandler {
  return async (request, response, next) => {
    for (const message of [request.body].flat())
      if (!ADMITTED.has(String(message?.method))) await dispatcher.stray(senderOf(request, response));
    next();
  };
}

/** Gives the SDK the messages that it can read, and answers the others itself: a batch may have both. */
function answering(
  parts: McpRouterParts,
  { surface }: Door,
  serverFor: ReturnType<typeof mcpServers>,
): RequestHandler {
  return async (request, response) => {
    const { body } = request;
    const client = programOf(body, request.get("user-agent"));
    const credentials = { ...senderOf(request, response), client, line: lineOf(response), surface };
    const stream =
      body?.method === "subscriptions/listen" ? await streamAsked(parts, credentials, body) : null;
    const read = [body].flat().map((sent) => ({ sent: sent as unknown, ...readMessage(sent), ...stream }));
    const refusals = read.flatMap(({ refusal }) => refusal ?? []);
    const readable = read.flatMap(({ sent, message = sent, refusal }) => (refusal ? [] : [message]));
    // Each request has a handler of its own, which knows who asks. Its bus reaches nobody else; closing it ends the stream.
    const handler = createMcpHandler(({ era }) => serverFor(credentials, { listen: era === "modern" }), {
      bus: {
        publish() {},
        subscribe(tell) {
          stream
            ?.follow?.(tell)
            .catch((error) => parts.dispatcher.fail(error, null))
            .finally(handler.close);
          return () => {};
        },
      },
      onerror: (error) => parts.logger.debug({ err: error }, "mcp"),
    });
    const accept = stream?.follow === undefined ? request.headers.accept : EVERY_FORM;
    request.headers.accept = EVERY_FORM;
    const handle = toNodeHandler({
      async fetch(...asked) {
        if (refusals.length === 0) return inAcceptedForm(await handler.fetch(...asked), accept);
        const own = readable[0]
          ? await inAcceptedForm(await handler.fetch(...asked), "application/json")
          : null;
        const answers = [JSON.parse((await own?.text()) || "[]"), refusals].flat(2);
        // A message that is no request fails by its HTTP status; wrong parameters are answered with 200, as by the SDK.
        const status = own || refusals[0]?.error.code === ProtocolErrorCode.InvalidParams ? 200 : 400;
        return inAcceptedForm(Response.json(answers.length > 1 ? answers : answers[0], { status }), accept);
      },
    });
    await handle(request, response, readable.length > 1 ? readable : (readable[0] ?? body));
  };
}

/** The SDK answers 406 to whoever names less; many clients name one of the two, or nothing. */
const EVERY_FORM = "application/json, text/event-stream";

/**
 * An answer of the SDK in a form that the caller accepts: as a stream if that is all it accepts, as JSON unless it names
 * streams. Of a stream that becomes JSON only the answers to requests are kept, not the news of their progress.
 *
 * @param accept  the caller's header
 */
async function inAcceptedForm(answer: Response, accept = "*/*"): Promise<Response> {
  const type = answer.headers.get("content-type") ?? "";
  const { status } = answer;
  if (!accept.includes("text/event-stream")) {
    if (!type.startsWith("text/event-stream")) return answer;
    const messages = [...(await answer.text()).matchAll(/^data: (.*)$/gm)]
      .map(([, data = ""]) => JSON.parse(data))
      .filter((message) => "result" in message || "error" in message);
    return Response.json(messages.length === 1 ? messages[0] : messages, { status });
  }
  if (/json|\*\/\*|application\/\*/.test(accept) || !type.startsWith("application/json")) return answer;
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
  return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { status, headers });
}

interface Introduction {
  params?: { clientInfo?: Named; _meta?: { "io.modelcontextprotocol/clientInfo"?: Named } };
}
type Named = { name?: unknown };

/** The program behind a message: by its client info, or else by its `User-Agent`. */
function programOf(message: Introduction | undefined, userAgent: string | undefined): string {
  const { name } =
    message?.params?._meta?.["io.modelcontextprotocol/clientInfo"] ?? message?.params?.clientInfo ?? {};
  const programs = [typeof name === "string" ? name : undefined, userAgent].map(clientOf);
  const [said = "none"] = programs;
  return programs.find((program) => program !== "none" && program !== "other") ?? said;
}

/** Who sent a request: at `/mcp/me` the publisher of its token, whatever key comes along. */
function senderOf(request: Request, response: ExpressResponse): Credentials {
  const signedIn = response.locals["signedIn"] as StoredPublisher | undefined;
  return signedIn === undefined
    ? credentialsOf(request)
    : { ...credentialsOf(request), apiKey: null, signedIn };
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
function fail(
  response: ExpressResponse,
  status: number,
  code: number,
  message: string,
  id: unknown = null,
): void {
  response.status(status).json(refused(id, code, message).refusal);
}
