import { setImmediate as nextTurn } from "node:timers/promises";
import { townAround } from "../../gazetteer/index.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import { filterOf } from "../search/query.ts";

const PLACES = 25;
/** Posts elsewhere are not counted. */
const SPOTS_MAX = 1_000;
/** Towns found in one go, which takes a few milliseconds. */
const SPOTS_PER_STEP = 50;

/** A town and how many posts are in it or near. */
export interface TopPlace {
  /** `Portland, Oregon`: `near` takes it. */
  place: string;
  count: number;
}

/**
 * The 25 towns with the most posts that a search without words finds, equal ones by name. Each post counts for one, the
 * largest within 20 km.
 */
export async function topPlaces(index: Pick<SearchIndex, "spots">, now: number): Promise<TopPlace[]> {
  const all = { filter: filterOf({}, now), words: null, vector: null, minCosine: 0 };
  const spots = await index.spots(all, SPOTS_MAX);
  const counts = new Map<string, number>();
  for (const [at, { count, ...point }] of spots.entries()) {
    if (at % SPOTS_PER_STEP === SPOTS_PER_STEP - 1) await nextTurn();
    const place = townAround(point)?.label;
    if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + count);
  }
  return [...counts]
    .map(([place, count]) => ({ place, count }))
    .sort((a, b) => b.count - a.count || (a.place < b.place ? -1 : 1))
    .slice(0, PLACES);
}
