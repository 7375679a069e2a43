import type { LookupFunction, Socket } from "node:net";
import { isIP } from "node:net";
import {
  type Outbound,
  type OutboundAnswer,
  OutboundError,
  type OutboundRequest,
} from "../ports/outbound.ts";
import { type Names, openNames } from "./names.ts";
import { bareHost, createPolicy, type Policy } from "./policy.ts";

export interface OutboundOptions {
  /** These CIDR blocks, addresses or host names are exempt from the guard; they may also be called by `http:` and on any port. */
  allow: readonly string[];
  /** Replaces DNS: all addresses of a name. */
  lookup?: Names["lookup"];
  /** Replaces DNS: TXT records in chunks. */
  resolveTxt?: Names["resolveTxt"];
  /** These ports are open to every URL. The default is 443. */
  ports?: readonly number[];
  /** Replaces the addresses of this machine, which no URL may lead to. */
  own?: () => readonly string[];
}

const CONNECT_MS = 3000;
const MAX_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 16 << 10;
/** This many informational answers (1xx) may come before the final one. */
const MAX_HINTS = 10;
const TXT_MS = 5000;
const MAX_TXT_RECORDS = 20;
const MAX_TXT_CHARACTERS = 1000;

/**
 * Calls URLs chosen by strangers. A name is resolved once, all its addresses must be allowed, and connections go to
 * these addresses only: a second DNS answer does not count. Each call has a connection of its own, closed afterwards.
 *
 * @throws Error when an entry of `allow` is neither address, CIDR block nor host name
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const policy = createPolicy(options.allow, options.ports ?? [443], options.own);
  const strict = createPolicy([], options.ports ?? [443], options.own);
  const names = openNames();
  const lookup = options.lookup ?? names.lookup;
  const resolveTxt = options.resolveTxt ?? names.resolveTxt;
  const running = new Map<AbortController, Promise<unknown>>();
  let closed = false;

  async function send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    const rules = request.exemptions === false ? strict : policy;
    const refusal = rules.refusal(request.url);
    if (refusal !== null) throw new OutboundError("blocked", `The URL may not be called: ${refusal}.`);
    const url = new URL(request.url);
    const host = bareHost(url);
    const exempt = rules.exemptName(host);
    const addresses = await addressesOf(host, exempt, signal);
    if (addresses.length === 0) throw new OutboundError("failed", "The host has no address.");
    if (!exempt && !addresses.every((address) => rules.allows(address))) {
      throw new OutboundError("blocked", "The host has an address that is not public.");
    }
    return call(url, request, addresses, (peer) => exempt || rules.allows(peer), signal);
  }

  async function addressesOf(host: string, exempt: boolean, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    const locally = exempt && options.lookup === undefined;
    return within(signal, locally ? names.lookupLocally(host) : lookup(host, signal));
  }

  async function txt(name: string, signal: AbortSignal): Promise<string[] | null> {
    const records = await within(signal, resolveTxt(name, signal)).catch(() => null);
    if (records === null) return null;
    return records.slice(0, MAX_TXT_RECORDS).map((chunks) => chunks.join("").slice(0, MAX_TXT_CHARACTERS));
  }

  /** Bounds a call in time, and keeps it for `close` to end. */
  async function bounded<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (closed) throw new OutboundError("failed", "The board is stopping.");
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    const promise = work(controller.signal);
    running.set(controller, promise);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  }

  return {
    refusal: (url) => policy.refusal(url),
    send: (request) =>
      bounded(Math.min(request.timeoutMs, MAX_TIMEOUT_MS), (signal) => send(request, signal)),
    txt: async (name) => (closed ? null : bounded(TXT_MS, (signal) => txt(name, signal))),
    async close() {
      closed = true;
      for (const controller of running.keys()) controller.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** Makes one request over a connection of its own. */
async function call(
  url: URL,
  request: OutboundRequest,
  addresses: readonly string[],
  allowed: Policy["allows"],
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const { method, maxBytes, timeoutMs } = request;
  const pinned: LookupFunction = (_host, options, done) => {
    const list = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = list;
    // The answer comes in the next tick, as a resolver's does. A connection that fails at once (no route to an IPv6
    // address) would destroy the socket while TLS still sets it up, and its error, with no listener yet, would end the
    // process.
    if (options.all === true) process.nextTick(done, null, list);
    else if (first !== undefined) process.nextTick(done, null, first.address, first.family);
  };
  // A board that calls nobody starts sooner without it.
  const { buildConnector, Client } = await import("undici");
  const connect = buildConnector({
    lookup: pinned,
    timeout: CONNECT_MS,
    maxCachedSessions: 0,
    allowH2: false,
  });
  let socket: Socket | undefined;
  const client = new Client(url.origin, {
    connect(options, done) {
      // The connector returns its socket at once, though its type hides that. A hanging socket must be closed with the call.
      socket = connect(options, (error, connected) => {
        if (error !== null) return done(error, null);
        const peer = connected.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "");
        if (peer !== undefined && allowed(peer)) return done(null, connected);
        connected.destroy();
        done(new OutboundError("blocked", "The host was not reached where it should be."), null);
      }) as unknown as Socket;
    },
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  // An abort alone would end a call only once its connection is made.
  const hangUp = () => socket?.destroy(new Error("given up"));
  signal.addEventListener("abort", hangUp, { once: true });
  let hints = 0;
  try {
    const answer = await client.request({
      method,
      path: url.pathname + url.search,
      headers: {
        "user-agent": "agent-board",
        ...lowerCased(request.headers ?? {}),
        "accept-encoding": "identity",
      },
      body: request.body ?? null,
      signal,
      onInfo: () => {
        hints += 1;
        if (hints > MAX_HINTS) hangUp();
      },
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: await read(answer.body, maxBytes),
    };
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (signal.aborted)
      throw new OutboundError("failed", `No complete answer within ${timeoutMs} ms.`, { cause: error });
    const reason = reasonOf(error);
    const what = /CERT|TLS|SSL|SIGNATURE/.test(reason) ? "TLS failed" : "The call failed";
    throw new OutboundError("failed", `${what}: ${reason}.`, { cause: error });
  } finally {
    signal.removeEventListener("abort", hangUp);
    hangUp();
    await client.destroy();
  }
}

async function read(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OutboundError("failed", `The answer has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Gives the result of a look-up, unless it fails or time runs out first. */
function within<T>(signal: AbortSignal, lookup: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new OutboundError("failed", "The name could not be resolved in time.", { cause }));
    const late = () => fail(signal.reason);
    if (signal.aborted) late();
    signal.addEventListener("abort", late, { once: true });
    lookup.then(resolve, fail).finally(() => signal.removeEventListener("abort", late));
  });
}

/** Writes header names in lower case, so that none is sent twice. */
function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Gives a code, never a text from the other side: `ECONNREFUSED`, `UND_ERR_HEADERS_OVERFLOW`, `CERT_HAS_EXPIRED`. */
function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = inner as { code?: unknown; name?: unknown };
  return String(code ?? name ?? "unknown");
}
