import { SPOTS_PER_DEGREE, type Spot } from "../../../ports/search-index.ts";
import type { PostMemory } from "../memory/index.ts";
import type { RowFilter } from "./filter.ts";

/** No circle of latitude has as many squares. */
const ROW_OF_SQUARES = 1_000 * SPOTS_PER_DEGREE;

/** Places are added up as whole numbers of these parts of a degree, about a centimetre: so their order makes no difference. */
const PARTS = 1e7;
/** A square has a side of this many of those parts. */
const SQUARE = PARTS / SPOTS_PER_DEGREE;

/** Finds the squares with the most rows that pass and have a place; of equal ones that of the oldest row comes first. */
export function spotsAmong({ rows }: PostMemory, { among, passes }: RowFilter, limit: number): Spot[] {
  const [lats, lngs] = [rows.lat.view, rows.lng.view];
  const squares = new Map<number, Spot>();
  const take = (row: number) => {
    const [lat, lng] = [lats[row] ?? Number.NaN, lngs[row] ?? 0];
    if (Number.isNaN(lat) || !passes(row)) return;
    const [y, x] = [Math.round(lat * PARTS), Math.round(lng * PARTS)];
    const key = Math.floor(y / SQUARE) * ROW_OF_SQUARES + Math.floor(x / SQUARE);
    const square = squares.get(key);
    if (square === undefined) squares.set(key, { lat: y, lng: x, count: 1 });
    else {
      square.lat += y;
      square.lng += x;
      square.count += 1;
    }
  };
  if (among !== null) for (const row of among) take(row);
  else for (let row = 0; row < rows.size; row += 1) take(row);
  return [...squares.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, limit)
    .map(({ lat, lng, count }) => ({ lat: lat / count / PARTS, lng: lng / count / PARTS, count }));
}
