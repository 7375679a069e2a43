import { MODELS } from "../../src/embed/models.ts";
import type { IndexEntry, Question } from "../../src/ports/search-index.ts";
import type { PostFilter } from "../../src/schema/filter.ts";
import { distanceKm } from "../../src/search/ranking/distance.ts";
import { parseQueryText } from "../../src/search/text/query-text.ts";
import { OPEN_FILTER } from "../../test/support/boards/questions.ts";
import { PLACES } from "../board/posts.ts";
import type { PostVectors } from "../board/vectors.ts";

const [{ dimension, scale }] = MODELS;
export const DIMENSION = dimension;
export const MIN_COSINE = scale?.minCosine ?? 0;
/** The boards' moment: the last post was just created. */
export const NOW = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 86_400_000;
/** Circles are asked around this many of the largest places. */
const CIRCLES = 20;

const CURRENT: PostFilter = { ...OPEN_FILTER, includeExpired: false, now: NOW, createdUntil: NOW };

/** Leaves out expired posts, as a search without filters does. */
export const currentOnly = (): PostFilter => CURRENT;

/** Asks for two kinds, within 50 km of a large place, in a window of 30 days; another place and window for each question. */
export function narrow(at: number): PostFilter {
  const [lng = 0, lat = 0] = PLACES[at % CIRCLES]?.loc.coordinates ?? [];
  const after = NOW + (at % 8) * 7 * DAY_MS;
  return {
    ...CURRENT,
    kinds: ["event", "offer"],
    near: { lat, lng, radiusKm: 50 },
    after,
    before: after + 30 * DAY_MS,
  };
}

/** Asks in the words, by the meaning, or by both of some texts. */
export function questionsOf(
  texts: readonly string[],
  { queries }: PostVectors,
  {
    arms = "both",
    filter = currentOnly,
  }: { arms?: "both" | "words" | "meaning"; filter?: (at: number) => PostFilter } = {},
): Question[] {
  return texts.map((text, at) => ({
    filter: filter(at),
    words: arms === "meaning" ? null : parseQueryText(text),
    vector: arms === "words" ? null : (queries.get(text) ?? null),
    minCosine: MIN_COSINE,
  }));
}

/** Writes the filters that these questions use a second time, to check what an index lets through. */
export function passes({ kinds, near, after, before, now }: PostFilter, entry: IndexEntry): boolean {
  return (
    entry.expiresAt > now &&
    (kinds === null || kinds.includes(entry.kind)) &&
    (after === null || entry.windowEnd >= after) &&
    (before === null || entry.windowStart <= before) &&
    (near === null ||
      (entry.lat !== null &&
        entry.lng !== null &&
        distanceKm(near, { lat: entry.lat, lng: entry.lng }) <= near.radiusKm))
  );
}
