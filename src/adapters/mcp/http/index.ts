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
import { adviceOn, BoardError, FAILURES } from "../../../board/failures.ts";
import { METHODS } from "../../../domain/events/names.ts";
import { parseUrl } from "../../../platform/parse-url.ts";
import type { StoredPublisher } from "../../../ports/store/index.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import type { LimitHeaders } from "../../calls/limits.ts";
import {
  clientOf,
  countedFailure,
  countRead,
  credentialsOf,
  jsonBody,
  lineOf,
  setLimitHeaders,
} from "../../http/requests.ts";
import { openCors } from "../../http/rest.ts";
import { isPrivate, type OperatorAccess, type OperatorName } from "../../operator/access.ts";
import type { SignIn } from "../../sign-in/index.ts";
import type { Door } from "../calls.ts";
import { readMessage, refused } from "../messages.ts";
import { operatorServers } from "../operator.ts";
import { type McpParts, mcpServers } from "../server.ts";
import { begun, EVERY_FORM, inAcceptedForm } from "./answer-forms.ts";

/** A refusal by HTTP has this error code of JSON-RPC. */
const BY_HTTP = -32000;

export interface McpRouterParts extends McpParts {
  dispatcher: Dispatcher;
  config: { allowedHosts: readonly string[] };
  /** No host can sign in where this is null: there is no `/mcp/me` then. */
  signIn: SignIn | null;
  /** Without OPERATOR_KEY this is null: there is no `/mcp/operator` then. */
  operator: OperatorAccess | null;
}

/**
 * Serves `/mcp`; `/mcp/data`, whose answers carry typed data too; `/mcp/readonly` with the reading tools only; and
 * `/mcp/me` for the publisher who signed in. Streamable HTTP without sessions, for revision 2026-07-28 and the earlier ones
 * with a handshake. These paths answer with JSON or an event stream, never with HTML.
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
  const { operator } = parts;
  if (operator !== null)
    doors.push([
      "/mcp/operator",
      { surface: "tools", answers: "text", operator: true },
      operatorOnly(parts, operator),
    ]);
  for (const [path, door, admit] of doors) {
    const make = door.operator === true ? operatorServers(parts, door) : mcpServers(parts, door);
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
  return (request, _response, next) => {
    const { host } = request.headers;
    const checked = validateHostHeader(host, known);
    // A user's name before the host would pass the check, and then break the address that the SDK makes of the host.
    if (checked.ok && host?.includes("@") !== true) return next();
    const reason = checked.ok ? "Invalid Host header: it names a user" : checked.message;
    const cure = "Ask at the board's own address; its operator admits further names in ALLOWED_HOSTS.";
    throw new RefusedByHttp(403, `${reason}. ${cure}`);
  };
}

/** Admits operators by their key, over https or on this machine, and leaves their name for what they do. */
function operatorOnly({ dispatcher }: McpRouterParts, operator: OperatorAccess): RequestHandler {
  return async (request, response, next) => {
    const { apiKey, ...visitor } = credentialsOf(request);
    const refuse = async (status: number, why: string) => {
      await countRead(dispatcher, { ...visitor, apiKey: null }, response);
      throw new RefusedByHttp(status, why);
    };
    if (!isPrivate(request)) return refuse(403, "Operators come by https, or from the board's own machine.");
    const who = apiKey === null ? null : await operator.named(apiKey, visitor.address);
    if (who === null) return refuse(401, "Send one of OPERATOR_KEY as `Authorization: Bearer KEY`.");
    response.locals["operator"] = who;
    next();
  };
}

/** Without sessions there is no stream to GET and no session to DELETE. */
const postOnly: RequestHandler = (request, response, next) => {
  if (request.method === "POST") return next();
  response.set("Allow", "POST, OPTIONS");
  throw new RefusedByHttp(405, "Method not allowed: this server is stateless, send JSON-RPC by POST.");
};

const requireJson: RequestHandler = (request, _response, next) => {
  if (isJsonContentType(request.get("content-type"))) return next();
  throw new RefusedByHttp(415, "Unsupported media type: send `Content-Type: application/json`.");
};

/** Refuses before any message is read. */
class RefusedByHttp extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One batch has at most this many messages. Hosts send one or two. */
const BATCH_MAX = 25;

/** These methods are counted where they are answered, as what they do. */
const { list: _, ...OF_EVENTS } = METHODS;
const COUNTED_LATER: readonly unknown[] = ["tools/call", ...Object.values(OF_EVENTS)];

/** Counts every other message as a read before anything is done for it. */
function counting({ dispatcher }: McpRouterParts): RequestHandler {
  return async (request, response, next) => {
    const messages: ({ method?: unknown } | null)[] = [request.body].flat();
    for (const message of messages.length === 0 ? [null] : messages)
      if (!COUNTED_LATER.includes(message?.method))
        await countRead(dispatcher, senderOf(request, response), response);
    if (messages.length > BATCH_MAX)
      throw new RefusedByHttp(413, `A batch has at most ${BATCH_MAX} messages: send the others after it.`);
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
    let isCounted = false;
    let wasCounted = () => {};
    const credentials = {
      ...senderOf(request, response),
      client,
      line: lineOf(response),
      surface,
      onCounted() {
        isCounted = true;
        wasCounted();
      },
    };
    // A stream answers for itself: it cannot be one of a batch.
    const isStream = !Array.isArray(body) && body?.method === METHODS.stream;
    const read = (sent: unknown) => ({ sent, ...readMessage(sent) });
    // Each request has a handler of its own, which knows who asks.
    const handler = createMcpHandler(
      ({ era }) => serverFor(credentials, { stream: era === "modern" && !Array.isArray(body) }),
      {
        // Streams of events have heartbeats of their own.
        ...(isStream ? { keepAliveMs: 0 } : {}),
        onerror: (error) => parts.logger.debug({ err: error }, "mcp"),
      },
    );
    const accept = isStream ? EVERY_FORM : request.headers.accept;
    request.headers.accept = EVERY_FORM;
    /** Hands one message to the SDK, unless it is refused. A call that no operation has admitted then counts as a read. */
    const answerTo = async (sent: unknown, asked: Parameters<typeof handler.fetch>) => {
      isCounted = (sent as { method?: unknown } | null)?.method !== "tools/call";
      const counted = new Promise<void>((resolve) => {
        wasCounted = resolve;
      });
      if (isCounted) await parts.dispatcher.inTurn(credentials);
      const { message = sent, refusal } = read(sent);
      // A message that is no request fails by its HTTP status; wrong parameters are answered with 200, as by the SDK.
      const status = refusal?.error.code === ProtocolErrorCode.InvalidParams ? 200 : 400;
      const [web, options] = asked;
      const given =
        refusal === undefined
          ? await handler.fetch(web, { ...options, parsedBody: message })
          : Response.json(refusal, { status });
      const answer = isCounted ? given : await begun(given, counted);
      if (isCounted) return answer;
      const tooMany = await countedFailure(parts.dispatcher, null, credentials, response);
      return tooMany === null ? answer : failureOf(parts, tooMany, (sent as { id?: unknown } | null)?.id);
    };
    const handle = toNodeHandler({
      async fetch(...asked) {
        if (!Array.isArray(body)) return inAcceptedForm(await answerTo(body, asked), accept);
        const [{ url, headers, signal }, options] = asked;
        const each = () =>
          new globalThis.Request(url, { method: "POST", headers, signal: AbortSignal.any([signal]) });
        return inAcceptedForm(await answersTo(body, (sent) => answerTo(sent, [each(), options])), accept);
      },
    });
    await handle(request, response, body ?? null);
  };
}

/** Above this many characters of the answers to a batch, its further messages are not performed. */
const BATCH_CHARS = 1_000_000;
const BATCH_FULL =
  "The answers to this batch are long already, so this message was not performed: send it again, in another batch.";

/** Gives the answers to a batch, whose messages are performed one after another. */
async function answersTo(
  batch: readonly unknown[],
  answerTo: (sent: unknown) => Promise<Response>,
): Promise<Response> {
  const answers: string[] = [];
  let chars = 0;
  let status = 400;
  for (const sent of batch.length === 0 ? [null] : batch) {
    const { id } = Object(sent) as { id?: unknown };
    if (chars > BATCH_CHARS) {
      if (id !== undefined) answers.push(JSON.stringify(refused(id, BY_HTTP, BATCH_FULL).refusal));
      continue;
    }
    const answer = await inAcceptedForm(await answerTo(sent), "application/json");
    if (answer.ok) status = 200;
    const text = await answer.text();
    chars += text.length;
    if (text !== "") answers.push(text);
  }
  if (answers.length === 0) return new Response(null, { status: 202 });
  const headers = { "content-type": "application/json" };
  return new Response(answers.length === 1 ? answers[0] : `[${answers}]`, { status, headers });
}

interface Introduction {
  params?: { clientInfo?: Named; _meta?: { "io.modelcontextprotocol/clientInfo"?: Named } };
}
type Named = { name?: unknown };

/** Names the program behind a message: by its client info, or else by its `User-Agent`. */
function programOf(message: Introduction | undefined, userAgent: string | undefined): string {
  const { name } =
    message?.params?._meta?.["io.modelcontextprotocol/clientInfo"] ?? message?.params?.clientInfo ?? {};
  const programs = [typeof name === "string" ? name : undefined, userAgent].map(clientOf);
  const known = programs.find((program) => program !== "none" && program !== "other");
  return known ?? (programs.includes("other") ? "other" : "none");
}

/** Finds who sent a request: at `/mcp/me` the publisher of its token, whatever key comes along. */
function senderOf(request: Request, response: ExpressResponse): Credentials {
  const signedIn = response.locals["signedIn"] as StoredPublisher | undefined;
  const operator = response.locals["operator"] as OperatorName | undefined;
  // An operator's key is no publisher's.
  if (operator !== undefined) return { ...credentialsOf(request), apiKey: null, operator };
  return signedIn === undefined
    ? credentialsOf(request)
    : { ...credentialsOf(request), apiKey: null, signedIn };
}

/** Answers failures from before a message is handled: of the body, of a limit, or of the board. */
function jsonRpcFailureHandler(parts: McpRouterParts): ErrorRequestHandler {
  return async (thrown: unknown, request, response, _next) => {
    const said = await countedFailure(parts.dispatcher, thrown, senderOf(request, response), response);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answer = failureOf(parts, said, request.body?.id);
    const limits = said instanceof BoardError && said.code === "rate_limited" ? said.cause : null;
    setLimitHeaders(response, limits as LimitHeaders | null);
    response
      .status(answer.status)
      .set(Object.fromEntries(answer.headers))
      .send(await answer.text());
  };
}

/** @param id  of the request, if it was read */
function failureOf({ dispatcher }: McpRouterParts, thrown: unknown, id: unknown): Response {
  if (thrown instanceof RefusedByHttp)
    return Response.json(refused(null, BY_HTTP, thrown.message).refusal, { status: thrown.status });
  const { error, status } = dispatcher.fail(thrown, null);
  const { ParseError, InvalidRequest, InternalError } = ProtocolErrorCode;
  const code = error.code === "invalid_json" ? ParseError : status < 500 ? InvalidRequest : InternalError;
  const message = `${FAILURES[error.code].message} ${adviceOn("tools", error.hint)}`;
  const headers = error.retryAfterS === undefined ? {} : { "retry-after": String(error.retryAfterS) };
  return Response.json(refused(id, code, message).refusal, { status, headers });
}
