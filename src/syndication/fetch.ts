import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { retryAfterMs } from "../domain/webhooks/pushes.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { type Outbound, type OutboundAnswer, OutboundError } from "../ports/outbound.ts";
import { FeedError } from "./item.ts";

/**
 * A feed has at most this many bytes, as sent and unpacked. Parsed, 12 MiB of JSON take up to 370 MB, less than the thread
 * that reads them may have: where a thread runs out of memory, Node may end the whole process.
 */
const SENT_MAX = 8 << 20;
const UNPACKED_MAX = 12 << 20;
const TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 5;
/** An operator can do this where the outgoing guard refuses a source. */
const WEBHOOK_ALLOW =
  " If the source is in your own network, name its host in WEBHOOK_ALLOW, such as WEBHOOK_ALLOW=127.0.0.1.";
const USER_AGENT = "agent-board feeds";
const ACCEPT =
  "text/calendar, application/rss+xml, application/atom+xml, application/feed+json, application/geo+json, application/x-ndjson, application/xml;q=0.9, application/json;q=0.9, */*;q=0.5";

/** Validators identify the version that a source sent, for the next conditional request. */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** Holds a feed as it was sent, unpacked. */
export interface Sent {
  bytes: Uint8Array;
  contentType: string;
}

export type Fetched = { sent: Sent; validators: Validators } | "unchanged";

/** `webcal:` is how calendars ask to be subscribed to; it has no protocol of its own. */
export const overHttps = (url: string): string => url.replace(/^webcals?:/i, "https:");

/**
 * Fetches a feed through the outgoing guard, which judges each redirect too. The operator's exemptions hold for the host of
 * the feed, not for a host that it redirects to.
 * @param known  of the last version; null makes the request unconditional
 * @throws FeedError
 */
export async function fetchFeed(
  outbound: Outbound,
  url: string,
  known: Validators | null,
  now: number,
): Promise<Fetched> {
  if (overHttps(url) !== url) {
    return fetchFeed(outbound, overHttps(url), known, now).catch((error: unknown) =>
      // In the operator's own network it may be there without TLS; elsewhere the guard refuses that.
      fetchFeed(outbound, url.replace(/^webcals?:/i, "http:"), known, now).catch(() => {
        throw error;
      }),
    );
  }
  let at = url;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const exemptions = new URL(at).host === new URL(url).host;
    const answer = await ask(outbound, { url: at, exemptions }, known);
    const location = header(answer, "location");
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304 && location !== null) {
      const next = parseUrl(location, at);
      if (next === null) throw new FeedError("The source redirects to what is no URL.");
      at = next.href;
      continue;
    }
    if (answer.status === 304 && known !== null) return "unchanged";
    if (answer.status !== 200) throw refusedBy(answer, now);
    return {
      sent: { bytes: await unpacked(answer), contentType: header(answer, "content-type") ?? "" },
      validators: { etag: header(answer, "etag"), lastModified: header(answer, "last-modified") },
    };
  }
  throw new FeedError(`The source redirects more than ${REDIRECTS_MAX} times.`);
}

async function ask(
  outbound: Outbound,
  to: { url: string; exemptions: boolean },
  known: Validators | null,
): Promise<OutboundAnswer> {
  const headers = {
    accept: ACCEPT,
    "accept-encoding": "gzip",
    "user-agent": USER_AGENT,
    ...(known?.etag == null ? {} : { "if-none-match": known.etag }),
    ...(known?.lastModified == null ? {} : { "if-modified-since": known.lastModified }),
  };
  try {
    return await outbound.send({
      method: "GET",
      ...to,
      headers,
      maxBytes: SENT_MAX,
      timeoutMs: TIMEOUT_MS,
    });
  } catch (cause) {
    if (cause instanceof OutboundError) {
      // A redirect to another host is not exempt, whatever the operator names.
      const cure = cause.reason === "blocked" && to.exemptions ? WEBHOOK_ALLOW : "";
      throw new FeedError(`${cause.message}${cure}`, { cause });
    }
    throw cause;
  }
}

function refusedBy(answer: OutboundAnswer, now: number): FeedError {
  const { status } = answer;
  return new FeedError(`The source answered ${status}.`, {
    gone: status === 410,
    retryAfterMs: retryAfterMs(header(answer, "retry-after"), now),
  });
}

/** Undoes gzip, which the first bytes show: some servers send a packed file and do not say so. */
async function unpacked({ body }: OutboundAnswer): Promise<Buffer> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return await promisify(gunzip)(body, { maxOutputLength: UNPACKED_MAX });
  } catch (cause) {
    const isLarge = (cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    const why = isLarge ? `is larger than ${UNPACKED_MAX >> 20} MiB unpacked` : "cannot be unpacked";
    throw new FeedError(`The feed ${why}.`, { cause });
  }
}

function header({ headers }: OutboundAnswer, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
