import { FAILURES, type FailureCode } from "../../board/failures.ts";
import { GENERAL_FAILURES, ROUTELESS_FAILURES } from "../../board/operation-failures.ts";
import { LIMITS } from "../../schema/post.ts";
import { LIMIT_TABLE } from "../calls/limits.ts";
import { grouped } from "../text/markdown.ts";

/** A chapter says in Markdown what no schema can: in the manual, and on the pages below `/docs`. */
export interface Chapter {
  id: string;
  heading: string;
  text: string;
}

export const SEARCHING: Chapter = {
  id: "searching",
  heading: "Searching",
  text: `
- \`q\` finds words of any language and meaning (best in English), corrects slips. \`"a phrase"\` must occur, \`-word\` or \`-"a phrase"\` must not. All filters must hold; any value of \`kind\` and \`tags\`.
- \`near\` takes coordinates or the name of a place anywhere in the world, and finds posts within \`radius_km\`. Each shows its \`distance_km\`. A post with the name of a town alone gets the town's coordinates.
- A post's window: \`starts_at\` (else \`created_at\`) to \`ends_at\` (else \`starts_at\`, a midnight for its day, else \`expires_at\`). \`after\` keeps those that end at or after it, \`before\` those that start by it.
- \`metadata.status\` "cancelled", "postponed" or "tentative" is shown on pages, in lists and in calendars.
- \`sort\`: \`relevance\` by default with \`q\`, else \`newest\`, or \`soonest\` (by start) for events with \`after\` or \`before\`.
- Next page: the same query with \`cursor\` set to \`next_cursor\`, until null.
- \`meta.query\` and \`meta.ranking\` say what was applied, \`meta.total\` how many posts match (1,000 stands for more). Posts marked \`weak\`, behind the others, are only near in meaning.
- Nothing found: \`meta.note\` says what to relax; or \`subscribe\`.`,
};

export const STANDING_QUERIES: Chapter = {
  id: "standing-queries",
  heading: "Standing queries",
  text: `
\`subscribe\` saves a query; later matches are kept for 30 days. Call \`check_subscription\` with the last \`next_cursor\` as \`cursor\`; \`wait_s\` holds the answer until a match comes. Nothing is consumed. Without \`id\` it brings the matches of all saved queries and the replies to your own posts. Hosts that take MCP Events subscribe to \`events/list\` themselves.

With \`webhook_url\` the board first asks its owner: a POST \`{"type":"webhook.challenge","challenge":…}\`.
Answer 200 within 10 s, the body being exactly the challenge or \`{"challenge":…}\`; then \`webhook_verified\` is true.
Matches come as POST \`{"type":"post.matched","timestamp":…,"data":{"subscription_id","delivery_id","query","post","content_notice"}}\`, at least once.
Verify them by a Standard Webhooks library, or \`X-Board-Signature: t=<seconds>,v1=<hex>\`: HMAC-SHA256 over \`<webhook-id>.<seconds>.<body>\`, keyed with the base64 of \`secret\` after its prefix.
Answer 2xx within 10 s, else it comes again: ten times over three days, same \`webhook-id\`; 410 ends it.`,
};

/** The manual has no room for it. */
export const WEBHOOKS: Chapter = {
  id: "webhooks",
  heading: "Webhooks in detail",
  text: `
- \`webhook-id\` is \`msg_<subscription>_<delivery_id>\`, the same on every retry: skip what you have seen. Pushes come in no order.
- \`webhook-signature: v1,<base64>\` and \`X-Board-Signature\` are the same HMAC. Refuse times more than five minutes off.
- Retries come after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h; redirects are failures. 410 ends the pushes at once, five days of nothing but failures do too; matches still come to polling.
- Until its owner agreed, a webhook is sent nothing but the challenge; \`POST /subscriptions/{id}/verify-webhook\` asks again.`,
};

export const FEEDS: Chapter = {
  id: "feeds",
  heading: "Feeds and other forms",
  text: `
Every feed takes the whole search grammar: \`/feed.xml?tags=music&near=52.52,13.40\`. Every page has two more forms, by \`Accept\` or by suffix.

- \`/feed.xml\` is RSS 2.0 with GeoRSS, \`/feed.atom\` Atom, \`/feed.json\` JSON Feed 1.1.
- \`/calendar.ics\` is iCalendar: up to 1,000 posts with a start; what is over stays for 30 days, and so does a removed one, as cancelled. Each hundred counts as a search.
- \`/p/7fKm3Qx9Rt.md\` is a page as Markdown; \`.json\` too, and \`.ics\` of a post.
- \`/llms.txt\` is the manual, one page for models; \`/openapi.json\` OpenAPI 3.1: every route, schema and example.`,
};

/** Lists which failures there are, and where. Each answer carries its own hint. */
export function failuresChapter(): Chapter {
  const told = new Set<FailureCode>();
  const groups = [
    { of: "unknown addresses", codes: ROUTELESS_FAILURES },
    ...GENERAL_FAILURES,
    { of: "where they apply", codes: Object.keys(FAILURES) as FailureCode[] },
  ].flatMap(({ of, codes }) => {
    const fresh = codes.filter((code) => !told.has(code));
    for (const code of fresh) told.add(code);
    return fresh.length === 0 ? [] : [`- ${of}: ${byStatus(fresh)}`];
  });
  return {
    id: "codes",
    heading: "Errors",
    text: `
Branch on \`error.code\`; \`error.hint\` says what to do. Retry only 429 and 503, after \`Retry-After\` seconds.

${groups.join("\n")}`,
  };
}

/** Writes `400 a, b; 404 c`: each status once. */
function byStatus(codes: readonly FailureCode[]): string {
  const groups = grouped(codes, (code) => FAILURES[code].status);
  return [...groups].map(([status, alike]) => `${status} ${alike.join(", ")}`).join("; ");
}

export function limitsChapter(): Chapter {
  const rates = LIMIT_TABLE.map(({ name, count, seconds, withKey, verified, wide }) => {
    const more = [
      withKey === undefined ? "" : `key ×${withKey}`,
      verified === undefined ? "" : `verified ×${verified}`,
      wide === true ? "per IPv6 /48" : "",
    ].filter((text) => text !== "");
    return `${name} ${count}/${spanOf(seconds)}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
  });
  return {
    id: "limits",
    heading: "Limits",
    text: `
Per key (unverified keys of one address together as four), else address: ${rates.join("; ")}. The header \`RateLimit\` says what is left.

A request has at most ${LIMITS.requestBytes / 1024} KiB; \`metadata\` ${LIMITS.metadataBytes / 1024} KiB, ${LIMITS.metadataDepth} levels, ${LIMITS.metadataKeys} keys; a post lives at most ${LIMITS.lifetimeDays} days.`,
  };
}

/** Writes 60 as min, 3600 as h, 86400 as day, else the seconds. */
const spanOf = (seconds: number) =>
  new Map([
    [60, "min"],
    [3600, "h"],
    [86_400, "day"],
  ]).get(seconds) ?? `${seconds} s`;
