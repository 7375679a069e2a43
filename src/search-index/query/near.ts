import type { PostFilter } from "../../schema/filter.ts";
import { boxAround, distanceKm, inBox } from "../../search/distance.ts";
import {
  CELL,
  cellOf,
  DEGREE,
  endDayIn,
  PLACED,
  type Places,
  RECORD,
  startDayIn,
  windowDay,
} from "../memory/places.ts";

/** A wide circle covers more cells than there are lists worth reading. */
const CELLS_MAX = 400;

type Near = NonNullable<PostFilter["near"]>;

/** True for places in a circle. @param lat, lng  in parts of a degree */
type PlaceTest = (lat: number, lng: number) => boolean;

/** The test for places within a circle. */
export function placeTest(near: Near): PlaceTest {
  const box = boxAround(near, near.radiusKm);
  return (lat, lng) => {
    const point = { lat: lat / DEGREE, lng: lng / DEGREE };
    return inBox(box, point.lat, point.lng) && distanceKm(near, point) <= near.radiusKm;
  };
}

/** The cells with posts that a circle touches, or null when it touches too many. */
export function cellsOf(places: Places, near: Near): number[] | null {
  const { south, north, west, east } = boxAround(near, near.radiusKm);
  const spans =
    west <= east
      ? [[west, east]]
      : [
          [west, 180],
          [-180, east],
        ];
  const cells: number[] = [];
  let touched = 0;
  for (let lat = cellOf(south - 1 / DEGREE); lat <= cellOf(north + 1 / DEGREE); lat += 1) {
    for (const [from = 0, to = 0] of spans) {
      if ((to - from) / CELL > CELLS_MAX) return null;
      for (let lng = cellOf(from - 1 / DEGREE); lng <= cellOf(to + 1 / DEGREE); lng += 1) {
        const cell = places.cell(lat, lng);
        if (cell >= 0) cells.push(cell);
        touched += 1;
        if (touched > CELLS_MAX) return null;
      }
    }
  }
  return cells;
}

/** What is asked of windows. Records know days only: `passes` decides on the days of the bounds themselves. */
export interface WindowFilter {
  after: number;
  endedBy: number;
  before: number;
  passes(row: number): boolean;
}

/** What is asked of posts near by; null for anything. */
export interface NearFilter {
  near: Near;
  /** Bits of the kinds. */
  kinds: number | null;
  window: WindowFilter | null;
}

/** The rows of some cells that pass, cell by cell. */
export function rowsNear(
  places: Places,
  cells: readonly number[],
  { near, kinds, window }: NearFilter,
): Uint32Array {
  const isNear = placeTest(near);
  const kindBits = kinds ?? -1;
  const after = windowDay(window?.after ?? Number.NEGATIVE_INFINITY);
  const endedBy = windowDay(window?.endedBy ?? Number.POSITIVE_INFINITY);
  const before = windowDay(window?.before ?? Number.POSITIVE_INFINITY);
  const out = new Uint32Array(cells.reduce((sum, cell) => sum + places.count(cell), 0));
  let count = 0;
  const take = (records: Int32Array) => {
    for (let at = 0; at < records.length; at += RECORD) {
      const bits = records[at + PLACED.bits] ?? 0;
      if ((bits & kindBits) === 0) continue;
      const row = records[at + PLACED.row] ?? 0;
      if (window !== null) {
        const end = endDayIn(bits);
        const start = startDayIn(bits);
        if (end < after || end > endedBy || start > before) continue;
        const isOnBound = end === after || end === endedBy || start === before;
        if (isOnBound && !window.passes(row)) continue;
      }
      if (!isNear(records[at + PLACED.lat] ?? 0, records[at + PLACED.lng] ?? 0)) continue;
      out[count] = row;
      count += 1;
    }
  };
  for (const cell of cells) places.eachRun(cell, take);
  return out.subarray(0, count);
}
