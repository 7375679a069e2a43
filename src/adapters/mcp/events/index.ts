import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { adviceOn, type BoardError, FAILURES, type Surface } from "../../../board/failures.ts";
import type { LimitName } from "../../../board/operation.ts";
import { CODES, METHODS, NOTIFICATIONS, SUBSCRIPTION_KEY } from "../../../domain/events/names.ts";
import { ACTIVE_MAX } from "../../../domain/subscriptions/state.ts";
import { STREAMS_MAX } from "../../../domain/subscriptions/waits.ts";
import { HttpUrl, WebhookSecret } from "../../../schema/scalars.ts";
import type { Credentials, Dispatcher } from "../../calls/dispatcher.ts";
import { listedEvents, parsed, topicOf, wrong } from "./topics.ts";

/** A client that polls is told to wait so long between two polls. */
const POLL_MS = 30_000;
const PER_PAGE = { default: 50, max: 100 } as const;
/** Proxies and clients commonly end a stream that is silent for 30 s. */
const HEARTBEAT_MS = 25_000;
/** A stream ends by itself after this long; its client opens another. */
const STREAM_S = 3_600;

const Cursor = z.string().max(2000).nullish();
const Milliseconds = z.number().min(0).nullish();
const Page = z.looseObject({
  cursor: Cursor,
  maxAgeMs: Milliseconds,
  // More than a page holds is no mistake: the answer says that there is more.
  maxEvents: z
    .int()
    .min(1)
    .nullish()
    .transform((asked) => Math.min(asked ?? PER_PAGE.default, PER_PAGE.max)),
});
const Delivery = z.looseObject({ mode: z.string(), url: HttpUrl });
const Addressed = z.looseObject({ delivery: z.looseObject({ url: HttpUrl }) });
const Subscribed = z.looseObject({
  delivery: Delivery.extend({
    secret: WebhookSecret,
  }),
  cursor: Cursor,
  maxAgeMs: Milliseconds,
  ttlMs: z.number().nullish(),
});

interface EventParts {
  dispatcher: Dispatcher | Promise<Dispatcher>;
  clock: () => number;
}

/**
 * Serves MCP Events (docs/events.md): `events/list` to everybody, the others to whoever has a key or is signed in. Each call
 * counts against the limit of reads, subscribing against its own.
 *
 * @param streams  false where a stream could not be cancelled: over HTTP in a revision with a handshake
 */
export function serveEvents(
  server: Server,
  parts: EventParts,
  caller: Credentials & { surface: Surface },
  streams: boolean,
): void {
  server.setRequestHandler(METHODS.list, { params: ANY }, () => ({ events: listedEvents(streams) }));

  /** Answers a method once its caller is admitted; what the board says of a failure becomes an error of the draft. */
  const on = (
    method: string,
    limit: LimitName,
    answer: (params: unknown, entered: Entered, context: ServerContext) => Promise<Answer>,
  ) =>
    server.setRequestHandler(method, { params: ANY }, async (params, context) => {
      const dispatcher = await parts.dispatcher;
      try {
        const entered = await dispatcher.enter({ auth: "key", effect: "writes", limit }, caller);
        return await answer(params, entered, context as ServerContext);
      } catch (thrown) {
        if (thrown instanceof ProtocolError) throw thrown;
        throw errorOf(dispatcher.fail(thrown, null).error, caller.surface);
      }
    });

  on(METHODS.poll, "read", async (params, { events, caller: publisher, now }) => {
    const topic = topicOf(params);
    const { cursor = null, maxAgeMs, maxEvents } = parsed(Page, params);
    const { id } = await events.lease(topic, publisher, now);
    const page = await events.page(id, { cursor, maxAgeMs: maxAgeMs ?? undefined, limit: maxEvents }, now);
    if (page === null) throw gone();
    return {
      events: page.events.map(({ occurrence }) => occurrence),
      cursor: page.cursor,
      truncated: page.truncated,
      hasMore: page.hasMore,
      nextPollMs: page.hasMore ? 0 : POLL_MS,
    };
  });

  on(METHODS.subscribe, "subscribe", async (params, { events, caller: publisher, now }) => {
    const topic = topicOf(params);
    const { delivery, cursor = null, ttlMs = null } = parsed(Subscribed, params);
    onlyWebhook(delivery.mode);
    const done = await events.subscribe(topic, delivery, { cursor, ttlMs }, publisher, now);
    if (!("refused" in done)) return { ...done, refreshBefore: new Date(done.refreshBefore).toISOString() };
    const said = "The callback did not consent: it must answer 2xx with the challenge, within 10 s.";
    throw new ProtocolError(CODES.callbackEndpointError, said, { reason: done.refused });
  });

  on(METHODS.unsubscribe, "read", async (params, { events, caller: publisher }) => {
    const topic = topicOf(params);
    const { delivery } = parsed(Addressed, params);
    if (!(await events.unsubscribe(topic, delivery.url, publisher))) throw gone();
    return {};
  });

  on(METHODS.stream, "read", async (params, entered, { mcpReq }) => {
    if (!streams) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const { events, waits, caller: publisher } = entered;
    const topic = topicOf(params);
    const { cursor = null, maxAgeMs, maxEvents } = parsed(Page, params);
    if (!waits.admits(publisher.id)) throw exhausted("streams", { max: STREAMS_MAX });
    const { id } = await events.lease(topic, publisher, entered.now);
    // The place is read first, so that no match falls between the page and the wait.
    const place = await waits.newest(publisher.id);
    const pageAfter = (from: string | null, maxAge?: number) =>
      events.page(id, { cursor: from, maxAgeMs: maxAge, limit: maxEvents }, parts.clock());
    let page = await pageAfter(cursor, maxAgeMs ?? undefined);
    if (page === null) throw gone();
    const _meta = { [SUBSCRIPTION_KEY]: mcpReq.id };
    const tell = (method: string, said: object) =>
      mcpReq.notify({ method, params: { ...said, _meta } } as never);
    let last = page.from;
    const over = new AbortController();
    const heartbeat = setInterval(async () => {
      try {
        const standing = await events.standingOf(id, publisher);
        if (standing === "admitted") return await tell(NOTIFICATIONS.heartbeat, { cursor: last });
        if (standing !== "gone") await tell(NOTIFICATIONS.terminated, { error: ENDS[standing] });
        over.abort();
      } catch {
        // The client is gone, which ends the stream, or the store is away for a while.
      }
    }, HEARTBEAT_MS);
    try {
      await tell(NOTIFICATIONS.active, { cursor: page.from, truncated: page.truncated });
      /** Tells of everything after `last`; false when the subscription is gone. */
      const tellPages = async () => {
        for (; page !== null; page = await pageAfter(last)) {
          for (const event of page.events) {
            if (mcpReq.signal.aborted) return true;
            await tell(NOTIFICATIONS.event, { ...event.occurrence, cursor: event.cursor });
            last = event.cursor;
          }
          last = page.cursor;
          if (!page.hasMore) return true;
        }
        await tell(NOTIFICATIONS.terminated, { error: ENDS.removed });
        return false;
      };
      const closed = AbortSignal.any([entered.line?.closed ?? mcpReq.signal, mcpReq.signal, over.signal]);
      const line = { closed, rest: () => entered.line?.rest() };
      if (!(await tellPages())) return { _meta };
      for await (const matched of waits.matchesAfter(publisher, place, { seconds: STREAM_S, line })) {
        if (!matched.has(id)) continue;
        page = await pageAfter(last);
        if (!(await tellPages())) break;
      }
      return { _meta };
    } finally {
      clearInterval(heartbeat);
    }
  });
}

type Entered = Awaited<ReturnType<Dispatcher["enter"]>>;
type Answer = Record<string, unknown>;

// Parameters are read once the call is counted.
const ANY = z.looseObject({});
const GONE = "There is no such subscription.";
const gone = () => new ProtocolError(CODES.notFound, GONE, { kind: "subscription" });

/** A stream says this when it is over for good. */
const ENDS = {
  removed: { code: CODES.notFound, message: GONE },
  suspended: { code: CODES.forbidden, message: FAILURES.publisher_suspended.message },
} as const;

function onlyWebhook(mode: string): void {
  if (mode === "webhook") return;
  const unsupported = { feature: "deliveryMode", value: mode };
  throw new ProtocolError(CODES.unsupported, "`delivery.mode` must be `webhook`.", unsupported);
}

const exhausted = (limit: string, rest: object, message = `Too many ${limit}: end one first.`) =>
  new ProtocolError(CODES.resourceExhausted, message, { limit, ...rest });

function errorOf({ code, hint, retryAfterS }: BoardError, surface: Surface): ProtocolError {
  const said = `${FAILURES[code].message} ${adviceOn(surface, hint)}`;
  const { status } = FAILURES[code];
  if (code === "too_many_subscriptions") return exhausted("subscriptions", { max: ACTIVE_MAX }, said);
  if (code === "rate_limited" || code === "overloaded")
    return exhausted(code, retryAfterS === undefined ? {} : { retryAfterMs: retryAfterS * 1000 }, said);
  if (code === "subscription_not_found") return gone();
  if (code === "invalid_url") return wrong(said);
  if (status === 401 || status === 403 || code === "read_only")
    return new ProtocolError(CODES.forbidden, said, { reason: code });
  return new ProtocolError(ProtocolErrorCode.InternalError, said);
}
