import { SPOTS_PER_DEGREE, type Spot } from "../../ports/search-index.ts";
import type { PostMemory } from "../memory/index.ts";
import { DEGREE, PLACED, RECORD } from "../memory/places.ts";
import type { RowFilter } from "./filter.ts";

/** Side of a square, in parts of a degree. */
const SIDE = DEGREE / SPOTS_PER_DEGREE;
/** More squares than lie along a circle of latitude. */
const ROW_OF_SQUARES = 1_000 * SPOTS_PER_DEGREE;

/** What is added up of a square, and the first of its rows: of equal squares that of the oldest row comes first. */
interface Square extends Spot {
  first: number;
}

/** The squares with the most rows that pass and have a place. One look at each row: a million take some 30 ms. */
export function spotsAmong({ rows }: PostMemory, { among, passes }: RowFilter, limit: number): Spot[] {
  const { places } = rows;
  const squares = new Map<number, Square>();
  const take = (row: number, lat: number, lng: number) => {
    if (!passes(row)) return;
    const key = Math.floor(lat / SIDE) * ROW_OF_SQUARES + Math.floor(lng / SIDE);
    const square = squares.get(key);
    if (square === undefined) squares.set(key, { lat, lng, count: 1, first: row });
    else {
      square.lat += lat;
      square.lng += lng;
      square.count += 1;
      if (row < square.first) square.first = row;
    }
  };
  const takeAt = (records: Int32Array, at: number) =>
    take(records[at + PLACED.row] ?? 0, records[at + PLACED.lat] ?? 0, records[at + PLACED.lng] ?? 0);
  if (among !== null) {
    for (const row of among) {
      const at = (places.at.view[row] ?? 0) * RECORD;
      if (at !== 0) takeAt(places.records.view, at);
    }
  } else {
    for (let cell = 0; cell < places.cells.size; cell += 1) {
      places.eachRun(cell, (records) => {
        for (let at = 0; at < records.length; at += RECORD) takeAt(records, at);
      });
    }
  }
  return [...squares.values()]
    .sort((a, b) => b.count - a.count || a.first - b.first)
    .slice(0, limit)
    .map(({ lat, lng, count }) => ({ lat: lat / count / DEGREE, lng: lng / count / DEGREE, count }));
}
