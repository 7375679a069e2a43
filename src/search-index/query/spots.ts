import { SPOTS_PER_DEGREE, type Spot } from "../../ports/search-index.ts";
import type { PostMemory } from "../memory/index.ts";
import { DEGREE } from "../memory/places.ts";
import type { RowFilter } from "./filter.ts";

/** Side of a square, in parts of a degree. */
const SIDE = DEGREE / SPOTS_PER_DEGREE;
/** More squares than lie along a circle of latitude. */
const ROW_OF_SQUARES = 1_000 * SPOTS_PER_DEGREE;

/** The squares with the most rows that pass and have a place. One look at each row: 30,000 take 4 ms, a million 70 ms. */
export function spotsAmong({ rows }: PostMemory, { among, passes }: RowFilter, limit: number): Spot[] {
  const { places } = rows;
  const spots = new Map<number, Spot>();
  const take = (row: number) => {
    if (!places.hasPlace(row) || !passes(row)) return;
    const [lat, lng] = [places.lat(row), places.lng(row)];
    const square = Math.floor(lat / SIDE) * ROW_OF_SQUARES + Math.floor(lng / SIDE);
    const spot = spots.get(square);
    if (spot === undefined) spots.set(square, { lat, lng, count: 1 });
    else {
      spot.lat += lat;
      spot.lng += lng;
      spot.count += 1;
    }
  };
  if (among !== null) for (const row of among) take(row);
  else for (let row = 0; row < rows.size; row += 1) take(row);
  return [...spots.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, limit)
    .map(({ lat, lng, count }) => ({ lat: lat / count / DEGREE, lng: lng / count / DEGREE, count }));
}
