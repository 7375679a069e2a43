import { ProtocolErrorCode, type ServerEvent } from "@modelcontextprotocol/server";
import type { Subscriptions } from "../../../domain/subscriptions/index.ts";
import type { Line, Waits } from "../../../domain/subscriptions/waits.ts";
import { adviceOn, BoardError, FAILURES, type Surface } from "../../../failures.ts";
import type { Catalog } from "../../../operation.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import { type ReadMessage, refused } from "../messages.ts";
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
}

/** A request for a stream, as the SDK is to read it, or its refusal. */
interface Asked extends ReadMessage {
  /** Tells of matches until the stream is to end; absent where there is nothing of the caller's to listen to. */
  follow?: (tell: (event: ServerEvent) => void) => Promise<void>;
}

interface ListenRequest {
  id: unknown;
  params?: { notifications?: { resourceSubscriptions?: unknown } };
}

/**
 * Reads `subscriptions/listen` of revision 2026-07-28: a stream that names `board://subscriptions`, or one of these, is
 * told when a match came there. Only the caller's own are listened to; the acknowledgement says which. A stream is admitted
 * as a call that reads matches, by the same key and limit. It holds no place among calls under way, counts among those that
 * wait, and ends with the protocol's closing result when its time is up or the board stops. One that listens to nothing ends
 * at once.
 */
export async function streamAsked(
  { catalog, dispatcher, services: { subscriptions, waits } }: ListeningParts,
  credentials: Credentials & { line: Line; surface: Surface },
  body: ListenRequest,
): Promise<Asked> {
  const named = body.params?.notifications?.resourceSubscriptions;
  const reading = catalog.tools.find(({ name }) => name === "check_subscription");
  // What is named otherwise than it should be is the SDK's to refuse.
  if (!Array.isArray(named) || !named.every((uri) => typeof uri === "string") || reading === undefined)
    return {};
  try {
    const { caller, refusal } = await dispatcher.admit(reading, credentials);
    const listened = named.slice(0, MOST_URIS).flatMap((uri) => {
      const at = matchesAt(uri);
      return at === null ? [] : [{ uri, id: at.id ?? null }];
    });
    if (listened.length === 0 || caller === null) {
      if (listened.length > 0 && refusal !== null) throw refusal;
      return listeningTo(body, []);
    }
    const ids = new Set<string | null>((await subscriptions.list(caller)).map(({ id }) => id)).add(null);
    const own = listened.filter(({ id }) => ids.has(id));
    if (own.length === 0) return listeningTo(body, []);
    if (!waits.admits(caller.id)) throw new BoardError("overloaded", { hint: FULL, retryAfterS: 30 });
    // The last entry of the caller's inbox before the stream is acknowledged.
    const place = await waits.newest(caller.id);
    const wait = { seconds: STREAM_S, line: credentials.line };
    return {
      ...listeningTo(
        body,
        own.map(({ uri }) => uri),
      ),
      async follow(tell) {
        for await (const matched of waits.matchesAfter(caller, place, wait)) {
          for (const { uri, id } of own)
            if (id === null || matched.has(id)) tell({ kind: "resource_updated", uri });
        }
      },
    };
  } catch (thrown) {
    const { error } = dispatcher.fail(thrown, null);
    const hint = adviceOn(credentials.surface, error.hint);
    const message = `${error.code}: ${FAILURES[error.code].message} ${hint}`;
    return refused(body.id, ProtocolErrorCode.InvalidParams, message);
  }
}

function listeningTo({ params, ...request }: ListenRequest, uris: readonly string[]): Asked {
  const notifications = { ...params?.notifications, resourceSubscriptions: uris };
  return { message: { ...request, params: { ...params, notifications } } as never };
}
