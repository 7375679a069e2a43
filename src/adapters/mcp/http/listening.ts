import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import type { Subscriptions } from "../../../domain/subscriptions/index.ts";
import type { Line, Waits } from "../../../domain/subscriptions/waits.ts";
import { adviceOn, BoardError, FAILURES, type Surface } from "../../../failures.ts";
import type { Catalog } from "../../../operation.ts";
import type { StoredPublisher } from "../../../ports/store/index.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import { refused } from "../messages.ts";
import { matchesAt } from "../resources.ts";

/** A stream ends by itself after this long; its client opens another. */
const STREAM_S = 3_600;
/** Addresses that one stream may name. */
const MOST_URIS = 100;
const FULL = "Too many calls and streams wait already: end one, or ask again in 30 s.";

export interface ListeningParts {
  catalog: Catalog;
  dispatcher: Dispatcher;
  services: { subscriptions: Subscriptions; waits: Waits };
  logger: Logger;
}

type Caller = Credentials & { line: Line };

/** A request, as the SDK takes it from Express. */
type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

/**
 * Answers `subscriptions/listen` of revision 2026-07-28: a stream that names `board://subscriptions`, or one of these, is
 * told when a match came there. Only the caller's own are listened to; the acknowledgement says which. A stream holds no
 * place among calls under way, counts among those that wait, and ends with the protocol's closing result when its time is
 * up or the board stops. One that listens to nothing ends at once.
 */
export function listening(
  parts: ListeningParts,
  door: { make: McpServerFactory; surface: Surface },
  callerOf: (request: Request, response: Response) => { credentials: Caller; auth: AuthInfo },
): RequestHandler {
  const { dispatcher, services, logger } = parts;
  return async (request, response, next) => {
    const { body } = request;
    if (body?.method !== "subscriptions/listen") return next();
    const { credentials, auth } = callerOf(request, response);
    const named = urisIn(body);
    let stream: Stream | null;
    try {
      stream = await streamOf(parts, credentials, named ?? []);
    } catch (thrown) {
      const { error } = dispatcher.fail(thrown, null);
      const message = `${error.code}: ${FAILURES[error.code].message} ${adviceOn(door.surface, error.hint)}`;
      return void response.json(refused(body.id, ProtocolErrorCode.InvalidParams, message).refusal);
    }
    const failed = (error: unknown) => dispatcher.fail(error, null);
    // A handler for this stream alone: its bus reaches nobody else, and closing it ends the stream as the protocol wants.
    const handler = createMcpHandler(door.make, {
      bus: {
        publish() {},
        subscribe(tell) {
          if (stream !== null) void follow(stream, services.waits, tell).catch(failed).finally(handler.close);
          return () => {};
        },
      },
      onerror: (error) => logger.debug({ err: error }, "mcp"),
    });
    const message = named === null ? body : asking(body, [...(stream?.own.keys() ?? [])]);
    await toNodeHandler(handler)(Object.assign(request, { auth }) as NodeRequest, response, message);
  };
}

interface Stream {
  caller: StoredPublisher;
  /** The addresses listened to; each with its subscription's id, or null for those of all. */
  own: ReadonlyMap<string, string | null>;
  /** The last entry of the caller's inbox before the stream was acknowledged. */
  place: number;
  line: Line;
}

/**
 * Admits a stream as a call that reads matches: by the same key, and counted against the same limit.
 * @returns null when there is nothing of the caller's to listen to
 * @throws BoardError as `Dispatcher.admit`, also its refusal; `overloaded`
 */
async function streamOf(
  { catalog, dispatcher, services: { subscriptions, waits } }: ListeningParts,
  credentials: Caller,
  uris: readonly string[],
): Promise<Stream | null> {
  const reading = catalog.tools.find(({ name }) => name === "check_subscription");
  if (reading === undefined) return null;
  const { caller, refusal } = await dispatcher.admit(reading, credentials);
  const named = uris.flatMap((uri) => {
    const at = matchesAt(uri);
    return at === null ? [] : [[uri, at.id ?? null] as const];
  });
  if (named.length === 0) return null;
  if (refusal !== null) throw refusal;
  if (caller === null) return null;
  const ids = new Set((await subscriptions.list(caller)).map(({ id }) => id));
  const own = new Map(named.filter(([, id]) => id === null || ids.has(id)));
  if (own.size === 0) return null;
  if (!waits.admits(caller.id)) throw new BoardError("overloaded", { hint: FULL, retryAfterS: 30 });
  return { caller, own, place: await waits.newest(caller.id), line: credentials.line };
}

async function follow(
  { caller, own, place, line }: Stream,
  waits: Waits,
  tell: (event: ServerEvent) => void,
): Promise<void> {
  for await (const matched of waits.matchesAfter(caller, place, { seconds: STREAM_S, line })) {
    for (const [uri, id] of own) {
      if (id === null || matched.has(id)) tell({ kind: "resource_updated", uri });
    }
  }
}

/** The addresses that a request names; null when it names none, or not as it should: the SDK says so. */
function urisIn(body: { params?: { notifications?: { resourceSubscriptions?: unknown } } }): string[] | null {
  const named = body.params?.notifications?.resourceSubscriptions;
  if (!Array.isArray(named) || !named.every((uri) => typeof uri === "string")) return null;
  return named.slice(0, MOST_URIS);
}

function asking(body: { params: { notifications: object } }, uris: readonly string[]): unknown {
  const notifications = { ...body.params.notifications, resourceSubscriptions: uris };
  return { ...body, params: { ...body.params, notifications } };
}
