import { type Box, boxAround, type Point } from "../distance.ts";

/**
 * Access keys: 32-bit hashes of a word, a tag, a cell of the globe, a kind. Two keys that share a hash share a bucket,
 * which costs time but never an answer, because everything found under a key is checked.
 */
export type Key = number;

export const EVERYTHING: Key = mixed(0x7a3d, 0);

export const wordKey = (word: string): Key => textHash(word, 0x1);
export const tagKey = (tag: string): Key => textHash(tag, 0x2);
/** @param kind  number of the kind, from 0 */
export const kindKey = (kind: number): Key => mixed(0x3, kind);

/** Sides of the cells, in degrees. A circle is filed at the first size at which it touches few cells. */
const SIDES = [0.25, 0.5, 1, 2, 4, 8, 16] as const;
/** 8 entries of about 16 bytes cost little, and a circle fills a good part of so few cells. */
const CELLS_MAX = 8;
/** In place of a kind's number. */
const ANY_KIND = -1;

/**
 * Keys of the cells that a circle touches, or null when there would be too many, as around a pole.
 *
 * @param kind  number of the only kind asked for, or null
 */
export function circleKeys(center: Point, radiusKm: number, kind: number | null): Key[] | null {
  const box = boxAround(center, radiusKm);
  const level = SIDES.findIndex((side) => cellCount(box, side) <= CELLS_MAX);
  const side = SIDES[level];
  if (side === undefined) return null;
  return cellsIn(box, side).map(([y, x]) => cellKey(level, y, x, kind ?? ANY_KIND));
}

/** Keys of the cells that hold a point, of every size, for its kind and for any. */
export function pointKeys({ lat, lng }: Point, kind: number): Key[] {
  return SIDES.flatMap((side, level) => {
    const [y, x] = [row(lat, side), column(lng, side)];
    return [cellKey(level, y, x, kind), cellKey(level, y, x, ANY_KIND)];
  });
}

/** Side of the cells that tell a place's class, in degrees: most circles touch one or two. */
const CLASS_SIDE = 8;

/** The classes of the places that a circle holds, each once; it may touch more of a class than it holds. */
export function placeClasses(center: Point, radiusKm: number): number[] {
  return [...new Set(cellsIn(boxAround(center, radiusKm), CLASS_SIDE).map(([y, x]) => classOf(y, x)))];
}

/** The class of a place, from 0 to `PLACE_CLASSES` - 1: where its cell is in a block, so that neighbours differ. */
export function placeClass({ lat, lng }: Point): number {
  return classOf(row(lat, CLASS_SIDE), column(lng, CLASS_SIDE));
}

export const PLACE_CLASSES = 8;
const classOf = (y: number, x: number) => (y & 1) | ((x & 3) << 1);

/** Rows and columns of the cells of a box. */
function cellsIn(box: Box, side: number): [number, number][] {
  const cells: [number, number][] = [];
  for (let y = row(box.south, side); y <= row(box.north, side); y += 1) {
    for (const [west, east] of spans(box)) {
      for (let x = column(west, side); x <= column(east, side); x += 1) cells.push([y, x]);
    }
  }
  return cells;
}

function cellCount(box: Box, side: number): number {
  const columns = spans(box).reduce((n, [west, east]) => n + column(east, side) - column(west, side) + 1, 0);
  return (row(box.north, side) - row(box.south, side) + 1) * columns;
}

/** The longitudes of a box from west to east: two spans when it crosses the antimeridian. */
function spans({ west, east }: Box): [number, number][] {
  return west <= east
    ? [[west, east]]
    : [
        [west, 180],
        [-180, east],
      ];
}

const row = (lat: number, side: number) => Math.floor((lat + 90) / side);
const column = (lng: number, side: number) => Math.floor((lng + 180) / side);

/** Fewer than 8 sizes, 1,024 rows, 2,048 columns, 256 kinds. */
function cellKey(level: number, y: number, x: number, kind: number): Key {
  return mixed((level << 10) | y, ((kind + 1) << 11) | x);
}

/** FNV-1a over UTF-16 units, then mixed, because maps look at some of the bits only. */
function textHash(text: string, seed: number): Key {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash, seed);
}

/** The finalizer of MurmurHash3 over two numbers. */
function mixed(a: number, b: number): Key {
  let hash = Math.imul(a, 0xcc9e2d51) ^ Math.imul(b + 0x9e3779b9, 0x1b873593);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
