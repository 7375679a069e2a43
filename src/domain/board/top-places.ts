import { setImmediate as nextTurn } from "node:timers/promises";
import { townAround, townNumbered } from "../../gazetteer/index.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import { filterOf } from "../search/query.ts";

const PLACES = 25;
/** Posts elsewhere are not counted. */
const SPOTS_MAX = 1_000;
/** Spots looked up in one go, which takes a few milliseconds. */
const SPOTS_PER_STEP = 10;

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
  const counts = new Map<number, number>();
  for (const [at, { count, ...point }] of spots.entries()) {
    if (at % SPOTS_PER_STEP === SPOTS_PER_STEP - 1) await nextTurn();
    const town = townAround(point);
    if (town !== null) counts.set(town, (counts.get(town) ?? 0) + count);
  }
  const places: TopPlace[] = [];
  // Numbers of towns are in the order of their names.
  for (const [town, count] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (places.length === PLACES) break;
    await nextTurn();
    const place = townNumbered(town)?.label;
    if (place !== undefined) places.push({ place, count });
  }
  return places;
}
