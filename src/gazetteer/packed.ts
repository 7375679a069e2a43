import { foldedPlace } from "./fold.ts";

/** A town or district as the file keeps it. */
export interface PlaceRecord {
  name: string;
  /** Degrees. */
  lat: number;
  lng: number;
  population: number;
  /** ISO 3166-1 alpha-2 and the first-order division of GeoNames: `US.IL`, `DE.16`. */
  region: string;
  /** Part of a larger place. */
  district: boolean;
}

/** Another name of a place, by its number. */
export interface OtherName {
  name: string;
  place: number;
}

/** Texts one after another, as UTF-8; the n-th goes from `starts[n]` to `starts[n + 1]`. */
export interface Texts {
  starts: Uint32Array;
  bytes: Buffer;
}

/** All places, a column for each field, in the order of their folded names; other names in their own order. */
export interface PlaceColumns {
  names: Texts;
  /** In steps of a degree, `STEP` each. */
  lat: Int32Array;
  lng: Int32Array;
  /** As logarithms, see `LOG_STEP`. */
  population: Uint16Array;
  /** Number of the region, with `DISTRICT` set for a district. */
  region: Uint16Array;
  regions: readonly string[];
  others: Texts;
  otherPlace: Uint32Array;
}

/** Degrees are kept in steps of a five-hundredth: 222 m from north to south. */
export const STEP = 500;
/** Populations are kept as logarithms: 1 % apart, up to numbers that no place has. */
export const LOG_STEP = 100;
export const DISTRICT = 0x8000;

/**
 * The bytes of the file, before they are compressed. A name leaves out what it begins with as the name before does, and a
 * place is given by its distance from the south-western corner of its region.
 *
 * @param records  in any order
 * @param others  `place` is the number of a record in `records`
 */
export function packPlaces(records: readonly PlaceRecord[], others: readonly OtherName[]): Buffer {
  const order = sortedByName(records.map(({ name }, place) => ({ name, place })));
  const newNumber = new Map(order.map(({ place }, at) => [place, at]));
  const sorted = order.map(({ place }) => records[place] as PlaceRecord);
  const aliases = sortedByName(others);
  const regions = [...new Set(sorted.map(({ region }) => region))].sort();
  const regionNumber = new Map(regions.map((region, at) => [region, at]));
  const inRegion = sorted.map(({ region }) => regionNumber.get(region) ?? 0);
  const [lat, south] = fromCorners(
    sorted.map(({ lat }) => Math.round(lat * STEP)),
    inRegion,
  );
  const [lng, west] = fromCorners(
    sorted.map(({ lng }) => Math.round(lng * STEP)),
    inRegion,
  );
  return Buffer.concat(
    [
      Buffer.from(regions.join("\n")),
      bytesOf(Int32Array.from(south)),
      bytesOf(Int32Array.from(west)),
      bytesOf(
        Uint16Array.from(sorted, ({ district }, at) => (inRegion[at] ?? 0) | (district ? DISTRICT : 0)),
      ),
      planesOf(lat),
      planesOf(lng),
      planesOf(sorted.map(({ population }) => Math.round(Math.log(population + 1) * LOG_STEP))),
      ...packedTexts(sorted.map(({ name }) => name)),
      ...packedTexts(aliases.map(({ name }) => name)),
      bytesOf(Uint32Array.from(aliases, ({ place }) => newNumber.get(place) ?? 0)),
    ].flatMap((part) => [bytesOf(Uint32Array.of(part.length)), part]),
  );
}

/** What `packPlaces` packed. */
export function unpackPlaces(bytes: Buffer): PlaceColumns {
  let at = 0;
  const next = (): Uint8Array => {
    const end = at + 4 + bytes.readUInt32LE(at);
    const part = bytes.subarray(at + 4, end);
    at = end;
    return Uint8Array.from(part);
  };
  const regions = Buffer.from(next()).toString().split("\n");
  const south = new Int32Array(next().buffer);
  const west = new Int32Array(next().buffer);
  const region = new Uint16Array(next().buffer);
  const ofPlaces = (corners: Int32Array) =>
    numbersOf(next()).map((n, at) => n + (corners[(region[at] ?? 0) & ~DISTRICT] ?? 0));
  const lat = ofPlaces(south);
  const lng = ofPlaces(west);
  const population = Uint16Array.from(numbersOf(next()));
  const names = unpackedTexts(next(), next());
  const others = unpackedTexts(next(), next());
  return { names, lat, lng, population, region, regions, others, otherPlace: new Uint32Array(next().buffer) };
}

/** By folded name; equal ones by their place in the source. */
function sortedByName<Named extends OtherName>(entries: readonly Named[]): Named[] {
  const keyed = entries.map((entry) => ({ entry, key: foldedPlace(entry.name) }));
  keyed.sort((a, b) => (a.key === b.key ? a.entry.place - b.entry.place : a.key < b.key ? -1 : 1));
  return keyed.map(({ entry }) => entry);
}

/** Each value less the smallest of its region, and those smallest by region. */
function fromCorners(values: readonly number[], inRegion: readonly number[]): [number[], number[]] {
  const corners: number[] = [];
  for (const [at, value] of values.entries()) {
    const region = inRegion[at] ?? 0;
    corners[region] = Math.min(corners[region] ?? value, value);
  }
  return [values.map((value, at) => value - (corners[inRegion[at] ?? 0] ?? 0)), corners];
}

const bytesOf = ({ buffer }: { buffer: ArrayBufferLike }): Buffer => Buffer.from(buffer as ArrayBuffer);

/** Bytes of a number below 2^24. */
const PLANES = 3;

/** The lowest bytes of all numbers, then the middle ones, then the highest: like beside like compresses well. */
function planesOf(numbers: readonly number[]): Buffer {
  const planes = Array.from({ length: PLANES }, (_, plane) => numbers.map((n) => (n >> (8 * plane)) & 0xff));
  return Buffer.from(planes.flat());
}

function numbersOf(planes: Uint8Array): Int32Array {
  const size = planes.length / PLANES;
  const byte = (at: number, plane: number) => (planes[plane * size + at] ?? 0) << (8 * plane);
  return Int32Array.from({ length: size }, (_, at) => byte(at, 0) | byte(at, 1) | byte(at, 2));
}

const NEWLINE = 0x0a;

/** For each text the bytes that it shares with the one before, at most 255; and the rest of each, a line for each. */
function packedTexts(texts: readonly string[]): [shared: Buffer, rests: Buffer] {
  const shared: number[] = [];
  const rests: Buffer[] = [];
  let before = Buffer.alloc(0);
  for (const text of texts) {
    const bytes = Buffer.from(text);
    let same = 0;
    while (same < 255 && same < bytes.length && same < before.length && bytes[same] === before[same])
      same += 1;
    shared.push(same);
    rests.push(bytes.subarray(same), Buffer.of(NEWLINE));
    before = bytes;
  }
  return [Buffer.from(shared), Buffer.concat(rests)];
}

function unpackedTexts(shared: Uint8Array, rests: Uint8Array): Texts {
  const starts = new Uint32Array(shared.length + 1);
  const length = shared.reduce((sum, same) => sum + same, rests.length - shared.length);
  const bytes = Buffer.alloc(length);
  let from = 0;
  for (const [at, same] of shared.entries()) {
    const start = starts[at] ?? 0;
    const before = starts[at - 1] ?? 0;
    bytes.copyWithin(start, before, before + same);
    const newline = rests.indexOf(NEWLINE, from);
    bytes.set(rests.subarray(from, newline), start + same);
    starts[at + 1] = start + same + newline - from;
    from = newline + 1;
  }
  return { starts, bytes };
}
