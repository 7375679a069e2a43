import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
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

/** Degrees are kept in steps of a ten-thousandth: 11 m. */
const STEP = 10_000;
/** Populations are kept as logarithms: 0.03 % apart, up to 30 million. */
const LOG_STEP = 3_800;
const DISTRICT = 0x8000;
/** Bands of latitude, a degree each; the last is the pole. */
const BANDS = 181;
const bandOf = (lat: number) => Math.min(BANDS - 1, Math.max(0, Math.floor(lat / STEP) + 90));

/**
 * All places, in columns: some 5 MB for 135,000. Numbers are places in the order of their folded names, so that a name is
 * found by halving.
 */
export class PlaceTable {
  readonly size: number;
  readonly #names: Texts;
  readonly #others: Texts;
  readonly #otherPlace: Uint32Array;
  readonly #lat: Int32Array;
  readonly #lng: Int32Array;
  readonly #population: Uint16Array;
  readonly #region: Uint16Array;
  readonly #regions: readonly string[];
  /** Places in the order of their bands of latitude, and where each band begins. */
  readonly #byBand: Uint32Array;
  readonly #bandStart: Uint32Array;

  /** @param bytes  as `packPlaces` made them, not compressed */
  constructor(bytes: Buffer) {
    const [size = 0, others = 0, names = 0, otherNames = 0, regions = 0] = new Uint32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + HEADER),
    );
    let at = HEADER;
    const take = (length: number) => {
      const part = bytes.subarray(at, at + length);
      at += length;
      return Uint8Array.from(part);
    };
    this.size = size;
    this.#lat = new Int32Array(take(size * 4).buffer);
    this.#lng = new Int32Array(take(size * 4).buffer);
    this.#population = new Uint16Array(take(size * 2).buffer);
    this.#region = new Uint16Array(take(size * 2).buffer);
    this.#otherPlace = new Uint32Array(take(others * 4).buffer);
    this.#names = new Texts(take(size), take(names));
    this.#others = new Texts(take(others), take(otherNames));
    this.#regions = Buffer.from(take(regions)).toString().split("\n");
    this.#bandStart = new Uint32Array(BANDS + 1);
    for (const lat of this.#lat)
      this.#bandStart[bandOf(lat) + 1] = (this.#bandStart[bandOf(lat) + 1] ?? 0) + 1;
    for (let band = 1; band <= BANDS; band += 1)
      this.#bandStart[band] = (this.#bandStart[band] ?? 0) + (this.#bandStart[band - 1] ?? 0);
    const next = this.#bandStart.slice();
    this.#byBand = new Uint32Array(size);
    for (const [at, lat] of this.#lat.entries()) {
      const band = bandOf(lat);
      this.#byBand[next[band] ?? 0] = at;
      next[band] = (next[band] ?? 0) + 1;
    }
  }

  /** Numbers of the places with a name, each once. @param folded  by `foldedPlace` */
  named(folded: string): number[] {
    const found = new Set<number>();
    for (let at = this.#names.firstFrom(folded); at < this.size && this.#names.folded(at) === folded; at += 1)
      found.add(at);
    const { size } = this.#others;
    for (let at = this.#others.firstFrom(folded); at < size && this.#others.folded(at) === folded; at += 1)
      found.add(this.#otherPlace[at] ?? 0);
    return [...found];
  }

  /** Numbers of the places whose own name begins so, and of those with another name that does. */
  beginningWith(folded: string): { own: number[]; others: number[] } {
    const end = `${folded}\u{10FFFF}`;
    const found = new Set<number>();
    const names = this.#names.firstFrom(end);
    for (let at = this.#names.firstFrom(folded); at < names; at += 1) found.add(at);
    const own = found.size;
    const others = this.#others.firstFrom(end);
    for (let at = this.#others.firstFrom(folded); at < others; at += 1) found.add(this.#otherPlace[at] ?? 0);
    const places = [...found];
    return { own: places.slice(0, own), others: places.slice(own) };
  }

  get(place: number): PlaceRecord {
    return {
      name: this.#names.at(place),
      lat: (this.#lat[place] ?? 0) / STEP,
      lng: (this.#lng[place] ?? 0) / STEP,
      population: this.population(place),
      region: this.#regions[(this.#region[place] ?? 0) & ~DISTRICT] ?? "",
      district: ((this.#region[place] ?? 0) & DISTRICT) !== 0,
    };
  }

  population(place: number): number {
    return Math.round(Math.exp((this.#population[place] ?? 0) / LOG_STEP)) - 1;
  }

  /** Numbers of the places in a box of degrees that does not cross the antimeridian. */
  within(box: { south: number; north: number; west: number; east: number }): number[] {
    const [south, north] = [box.south * STEP, box.north * STEP];
    const [west, east] = [box.west * STEP, box.east * STEP];
    const found: number[] = [];
    const first = this.#bandStart[bandOf(south)] ?? 0;
    const end = this.#bandStart[bandOf(north) + 1] ?? this.size;
    for (const at of this.#byBand.subarray(first, end)) {
      const [lat, lng] = [this.#lat[at] ?? 0, this.#lng[at] ?? 0];
      if (lat >= south && lat <= north && lng >= west && lng <= east) found.push(at);
    }
    return found;
  }

  /** Bytes that the table holds in memory. */
  get bytes(): number {
    const columns = [this.#lat, this.#lng, this.#population, this.#region, this.#otherPlace, this.#byBand];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, this.#names.bytes + this.#others.bytes);
  }
}

/** Texts in the order of their folded forms, one after another. */
class Texts {
  readonly size: number;
  readonly #starts: Uint32Array;
  readonly #text: Buffer;

  constructor(lengths: Uint8Array, text: Uint8Array) {
    this.size = lengths.length;
    this.#starts = new Uint32Array(lengths.length + 1);
    for (const [at, length] of lengths.entries()) this.#starts[at + 1] = (this.#starts[at] ?? 0) + length;
    this.#text = Buffer.from(text.buffer);
  }

  at(number: number): string {
    return this.#text.toString("utf8", this.#starts[number], this.#starts[number + 1]);
  }

  folded(number: number): string {
    return foldedPlace(this.at(number));
  }

  /** The first text that is not before this one. */
  firstFrom(folded: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.folded(middle) < folded) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get bytes(): number {
    return this.#starts.byteLength + this.#text.byteLength;
  }
}

/** Five counts of 32 bits: places, other names, bytes of names, of other names, of regions. */
const HEADER = 20;
/** A name's length in bytes fits one byte. */
const NAME_BYTES = 255;

/**
 * The bytes of a table, not compressed.
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
  const names = sorted.map(({ name }) => Buffer.from(name));
  const otherNames = aliases.map(({ name }) => Buffer.from(name));
  const regionText = Buffer.from(regions.join("\n"));
  const parts = [
    Int32Array.from(sorted, ({ lat }) => Math.round(lat * STEP)),
    Int32Array.from(sorted, ({ lng }) => Math.round(lng * STEP)),
    Uint16Array.from(sorted, ({ population }) => Math.round(Math.log(population + 1) * LOG_STEP)),
    Uint16Array.from(
      sorted,
      ({ region, district }) => (regionNumber.get(region) ?? 0) | (district ? DISTRICT : 0),
    ),
    Uint32Array.from(aliases, ({ place }) => newNumber.get(place) ?? 0),
  ].map(({ buffer }) => Buffer.from(buffer));
  const texts = [Buffer.concat(names), Buffer.concat(otherNames)];
  const header = Uint32Array.of(
    sorted.length,
    aliases.length,
    texts[0]?.length ?? 0,
    texts[1]?.length ?? 0,
    regionText.length,
  );
  return Buffer.concat([
    Buffer.from(header.buffer),
    ...parts,
    Buffer.from(Uint8Array.from(names, lengthOf)),
    texts[0] ?? Buffer.alloc(0),
    Buffer.from(Uint8Array.from(otherNames, lengthOf)),
    texts[1] ?? Buffer.alloc(0),
    regionText,
  ]);
}

function lengthOf(name: Buffer): number {
  if (name.length > NAME_BYTES) throw new Error(`a name of ${name.length} bytes is too long`);
  return name.length;
}

/** By folded name; equal ones by their place in the source. */
function sortedByName<Named extends OtherName>(entries: readonly Named[]): Named[] {
  const keyed = entries.map((entry) => ({ entry, key: foldedPlace(entry.name) }));
  keyed.sort((a, b) => (a.key === b.key ? a.entry.place - b.entry.place : a.key < b.key ? -1 : 1));
  return keyed.map(({ entry }) => entry);
}

let opened: PlaceTable | undefined;

/** The table of the file beside this module, read at the first call. */
export function openPlaces(): PlaceTable {
  opened ??= new PlaceTable(brotliDecompressSync(readFileSync(join(import.meta.dirname, "places.bin.br"))));
  return opened;
}
