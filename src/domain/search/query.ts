import type { Advice } from "../../board/failures.ts";
import { townAt } from "../../gazetteer/index.ts";
import { DAY_MS } from "../../platform/time.ts";
import { type Embedder, EmbedderUnavailable } from "../../ports/embedder.ts";
import type { PostFilter } from "../../schema/filter.ts";
import { placeInWords } from "../../schema/place.ts";
import { RADIUS_KM, type SearchQuery, type Sort, textOfBound } from "../../schema/query.ts";
import type { StandingQuery } from "../../schema/subscription.ts";
import { cleanLine, counted } from "../../schema/text.ts";
import type { TimeSpan } from "../../schema/time/iso-8601.ts";
import { firstMoment, lastMoment, zoneAt } from "../../schema/time/local-time.ts";
import { quantize } from "../../search/ranking/vectors.ts";
import { EXCLUDED_MAX, PHRASES_MAX, parseQueryText, type QueryText } from "../../search/text/query-text.ts";
import { isoTime } from "../resources.ts";

/** Reads the filters of a query with defaults applied. `createdUntil` is open; a walk over pages sets it. */
export function filterOf(query: StandingQuery, now: number): PostFilter {
  const { near, after, before } = query;
  const zone = zoneOfQuery(query);
  return {
    kinds: emptyAsNull(query.kind),
    tags: emptyAsNull(query.tags),
    near: near === undefined ? null : { lat: near.lat, lng: near.lng, radiusKm: radiusOf(query) },
    after: after === undefined ? null : firstMoment(after, zone),
    before: before === undefined ? null : lastMoment(before, zone),
    verifiedOnly: query.verified ?? false,
    publisherId: emptyText(query.publisher),
    parentId: emptyText(query.thread),
    includeReplies: query.include_replies ?? false,
    includeExpired: query.include_expired ?? false,
    includeSyndicated: query.include_syndicated ?? true,
    now,
    createdUntil: Number.MAX_SAFE_INTEGER,
  };
}

/** Says how far a search reaches around its place, in kilometres. */
export const radiusOf = ({ near, radius_km }: Pick<StandingQuery, "near" | "radius_km">): number =>
  radius_km ?? near?.radiusKm ?? RADIUS_KM.default;

/** Tells whether a window has so few days that whoever asks for it wants each date of a series. */
export const isShortWindow = (
  { after, before }: Partial<Pick<PostFilter, "after" | "before">>,
  days = 14,
): boolean => typeof after === "number" && typeof before === "number" && before - after <= days * DAY_MS;

/** Names the zone of a query's days and local times: the one sent, or that of the place searched; null where neither tells it. */
export function zoneOfQuery({ timezone, near }: Pick<StandingQuery, "timezone" | "near">): string | null {
  return timezone ?? (near === undefined ? null : zoneAt(near));
}

/** Tells which place the name sent as `near` was read as. */
export function notesOnPlace({ near, radius_km }: StandingQuery): string[] {
  const note = near === undefined ? null : placeInWords(near, radius_km);
  return note === null ? [] : [note];
}

/** Says how many posts the filters alone find; a tool's answer says it in its heading. */
export const noteOnFitting = (posts: number): Advice => ({
  rest: `${counted(posts, "post fits", "posts fit")} the filters alone: the same search without \`q\`.`,
  tools: "",
});

/** Notes a radius without a place, and bounds in the wrong order, which only posts that last from one to the other meet. */
export function notesOnBounds(query: StandingQuery): string[] {
  const { after, before } = filterOf(query, 0);
  const isReversed = after !== null && before !== null && after > before;
  return [
    ...(query.radius_km !== undefined && query.near === undefined
      ? ["`radius_km` does nothing without `near`."]
      : []),
    ...(isReversed
      ? [
          "`after` is later than `before`, so only posts that go on from the one to the other match. Exchange them to find what is on between them.",
        ]
      : []),
  ];
}

/** Tells what the words were taken to ask of prices, and not to want. @param told  what becomes of other posts */
export function notesOnAsked(
  { price, unwanted }: QueryText["bounds"],
  told: { price: string; unwanted: string },
): string[] {
  const whole = (value: number) => value.toLocaleString("en");
  const inWords = ({ min, max, currency }: NonNullable<typeof price>) => {
    const coin = currency === null ? "" : ` ${currency}`;
    if (max === 0) return "a price of nothing";
    if (max === Number.POSITIVE_INFINITY) return `a price from ${whole(min)}${coin} on`;
    return `a price ${min === 0 ? "" : `from ${whole(min)} `}up to ${whole(max)}${coin}`;
  };
  return [
    ...(price === null
      ? []
      : [
          `Read “${price.said.trim()}” as ${inWords(price)}: posts that name other prices only ${told.price}.`,
        ]),
    ...unwanted.map(
      ({ said, words }) =>
        `Read “${said}” as not wanted: ${told.unwanted}; \`-${words.at(-1)}\` leaves out every post with the word.`,
    ),
  ];
}

/** Notes on the parts of a text that were not read, and on a number that was taken for an exclusion. */
export function notesOnOperators({ unread, excluded }: Pick<QueryText, "unread" | "excluded">): string[] {
  const numbers = excluded.flat().filter((word) => /^\p{N}+$/u.test(word));
  const typed = (words: readonly string[]) => words.map((word) => `"${word}"`).join(", ");
  return [
    ...(unread.length === 0
      ? []
      : [
          `Of quoted phrases the first ${PHRASES_MAX} count, of exclusions the first ${EXCLUDED_MAX}; not looked at: ${typed(unread)}.`,
        ]),
    ...(numbers.length === 0
      ? []
      : [
          `Posts with ${typed(numbers)} were left out: a hyphen excludes. To find a number, quote it or leave out its sign.`,
        ]),
  ];
}

const emptyAsNull = <T>(list: readonly T[] | undefined) =>
  list === undefined || list.length === 0 ? null : list;
const emptyText = (text: string | undefined) => (text === undefined || text === "" ? null : text);

/** Gives the free text of a query, or null when there is none. */
export function textOfQuery(query: StandingQuery): string | null {
  const text = cleanLine(query.q ?? "");
  return text === "" ? null : text;
}

/** Parses what the free text of a query asks for; null when there is none. */
export function parsedTextOf(query: StandingQuery): QueryText | null {
  const text = textOfQuery(query);
  return text === null ? null : parseQueryText(text);
}

/** Writes the criteria of a query as JSON in the form callers send: stored for a standing query, echoed for a search. */
export function criteriaJson(query: StandingQuery): Record<string, unknown> {
  const filter = filterOf(query, 0);
  const q = textOfQuery(query);
  return {
    ...(q === null ? {} : { q }),
    ...(filter.kinds === null ? {} : { kind: filter.kinds.join(",") }),
    ...(filter.tags === null ? {} : { tags: filter.tags.join(",") }),
    ...(filter.near === null
      ? {}
      : { near: `${filter.near.lat},${filter.near.lng}`, radius_km: filter.near.radiusKm }),
    ...(query.after === undefined ? {} : { after: textOfBound(query.after) }),
    ...(query.before === undefined ? {} : { before: textOfBound(query.before) }),
    ...(query.timezone === undefined ? {} : { timezone: query.timezone }),
    ...(filter.verifiedOnly ? { verified: true } : {}),
    ...(filter.publisherId === null ? {} : { publisher: filter.publisherId }),
    ...(filter.parentId === null ? {} : { thread: filter.parentId }),
    include_replies: filter.includeReplies,
    include_expired: filter.includeExpired,
    include_syndicated: filter.includeSyndicated,
  };
}

/** Writes the query as it was applied, defaults included: `meta.query`. */
export function appliedJson(
  query: SearchQuery,
  sort: string,
  { after, before }: Pick<PostFilter, "after" | "before">,
): Record<string, unknown> {
  return {
    ...criteriaJson(query),
    ...(after === null ? {} : { after: isoTime(after) }),
    ...(before === null ? {} : { before: isoTime(before) }),
    sort,
    limit: query.limit,
    ...(textOfQuery(query) === null ? {} : { rerank: query.rerank ?? true }),
  };
}

/**
 * Writes a sentence that a person understands: `Offers about "road bike", tagged bike or cycling, within 25 km of 52.37,
 * 4.90`.
 */
export function describeQuery(query: StandingQuery): string {
  const filter = filterOf(query, 0);
  const q = textOfQuery(query);
  const kinds = filter.kinds?.map((kind) => `${kind}s`) ?? [filter.parentId === null ? "posts" : "replies"];
  const subject = joinWith("and", kinds);
  const parts = [
    `${subject.charAt(0).toUpperCase()}${subject.slice(1)}${q === null ? "" : ` about "${q}"`}`,
    filter.parentId === null ? "" : `in thread ${filter.parentId}`,
    filter.tags === null ? "" : `tagged ${joinWith("or", filter.tags)}`,
    filter.near === null ? "" : `within ${filter.near.radiusKm} km of ${placeOrDegrees(filter.near)}`,
    query.after === undefined ? "" : `ending at or after ${boundInWords(query.after)}`,
    query.before === undefined ? "" : `starting at or before ${boundInWords(query.before)}`,
    filter.publisherId === null ? "" : `from publisher ${filter.publisherId}`,
    filter.verifiedOnly ? "from verified publishers" : "",
    filter.includeReplies && filter.parentId === null ? "replies included" : "",
    filter.includeSyndicated ? "" : "first-hand only",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Names the town whose coordinates these are, since a saved query keeps no name; the degrees where there is none. */
function placeOrDegrees(point: { lat: number; lng: number }): string {
  return townAt(point)?.label ?? `${degrees(point.lat)}, ${degrees(point.lng)}`;
}

/** Two decimals make about a kilometre: as precise as a sentence should be. */
const degrees = (value: number) => value.toFixed(2);
const boundInWords = (bound: TimeSpan) =>
  textOfBound(bound)
    .replace(/T00:00:00\.000Z$/, "")
    .replace(/:00\.000Z$/, "Z");

function joinWith(word: "and" | "or", items: readonly string[]): string {
  if (items.length <= 1) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1) ?? ""}`;
}

/** Embeds a query's plain text; null when there is no text, no model, or no time for it now. */
export async function queryVector(embedder: Embedder, text: string): Promise<Int8Array | null> {
  if (text === "" || embedder.state() !== "ready") return null;
  try {
    const [vector] = await embedder.embed([text], "query");
    return vector === undefined ? null : quantize(vector);
  } catch (error) {
    if (error instanceof EmbedderUnavailable) return null;
    throw error;
  }
}

/** Orders results: without words by `soonest` when only events are asked for and a bound is given, else `newest`. */
export function sortOf(query: SearchQuery, asksWords: boolean): Sort {
  if (asksWords) return query.sort ?? "relevance";
  if (query.sort === "newest" || query.sort === "soonest") return query.sort;
  const onlyEvents = query.kind?.length === 1 && query.kind[0] === "event";
  return onlyEvents && (query.after !== undefined || query.before !== undefined) ? "soonest" : "newest";
}
