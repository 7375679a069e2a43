import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { foldedPlace } from "./fold.ts";
import {
  DISTRICT,
  LOG_STEP,
  type PlaceColumns,
  type PlaceRecord,
  STEP,
  type Texts,
  unpackPlaces,
} from "./packed.ts";

/** Bands of latitude, a degree each; the last is the pole. */
const BANDS = 181;
const bandOf = (lat: number) => Math.min(BANDS - 1, Math.max(0, Math.floor(lat / STEP) + 90));

/**
 * All places, in columns: some 5 MB for 135,000. Numbers are places in the order of their folded names, so that a name is
 * found by halving.
 */
export class PlaceTable {
  readonly size: number;
  readonly #names: SortedNames;
  readonly #others: SortedNames;
  readonly #otherPlace: Uint32Array;
  readonly #lat: Int32Array;
  readonly #lng: Int32Array;
  readonly #population: Uint16Array;
  readonly #region: Uint16Array;
  readonly #regions: readonly string[];
  /** Places in the order of their bands of latitude, and where each band begins. */
  readonly #byBand: Uint32Array;
  readonly #bandStart: Uint32Array;

  constructor({ names, lat, lng, population, region, regions, others, otherPlace }: PlaceColumns) {
    this.size = lat.length;
    this.#names = new SortedNames(names);
    this.#lat = lat;
    this.#lng = lng;
    this.#population = population;
    this.#region = region;
    this.#regions = regions;
    this.#others = new SortedNames(others);
    this.#otherPlace = otherPlace;
    this.#bandStart = new Uint32Array(BANDS + 1);
    for (const degrees of lat)
      this.#bandStart[bandOf(degrees) + 1] = (this.#bandStart[bandOf(degrees) + 1] ?? 0) + 1;
    for (let band = 1; band <= BANDS; band += 1)
      this.#bandStart[band] = (this.#bandStart[band] ?? 0) + (this.#bandStart[band - 1] ?? 0);
    const next = this.#bandStart.slice();
    this.#byBand = new Uint32Array(this.size);
    for (const [at, degrees] of lat.entries()) {
      const band = bandOf(degrees);
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

  /** Whether a name begins so. @param folded  by `foldedPlace` */
  hasBeginning(folded: string): boolean {
    return this.#names.hasBeginning(folded) || this.#others.hasBeginning(folded);
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

  /** Bytes of its columns in memory; the marks of names take some 0.3 MB more. */
  get bytes(): number {
    const columns = [this.#lat, this.#lng, this.#population, this.#region, this.#otherPlace, this.#byBand];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, this.#names.bytes + this.#others.bytes);
  }
}

/** 6,000 strings for all names; a name between two of them is the fifth that is read. */
const MARK_EVERY = 32;

/** The first number of a range from which on all fit; its end where none does. */
function firstThat(low: number, high: number, fits: (at: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (fits(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Names in the order of their folded forms. */
class SortedNames {
  readonly size: number;
  readonly #starts: Uint32Array;
  readonly #text: Buffer;
  /** The folded form of each `MARK_EVERY`-th name: halving reads a name out of the bytes only between two of them. */
  readonly #marks: readonly string[];

  constructor({ starts, bytes }: Texts) {
    this.size = starts.length - 1;
    this.#starts = starts;
    this.#text = bytes;
    this.#marks = Array.from({ length: Math.ceil(this.size / MARK_EVERY) }, (_, mark) =>
      this.folded(mark * MARK_EVERY),
    );
  }

  at(number: number): string {
    return this.#text.toString("utf8", this.#starts[number], this.#starts[number + 1]);
  }

  folded(number: number): string {
    return foldedPlace(this.at(number));
  }

  /** The first text that is not before this one. */
  firstFrom(folded: string): number {
    const mark = firstThat(0, this.#marks.length, (at) => (this.#marks[at] ?? "") >= folded);
    const low = Math.max(0, (mark - 1) * MARK_EVERY);
    return firstThat(low, Math.min(mark * MARK_EVERY, this.size), (at) => this.folded(at) >= folded);
  }

  hasBeginning(folded: string): boolean {
    const first = this.firstFrom(folded);
    return first < this.size && this.folded(first).startsWith(folded);
  }

  get bytes(): number {
    return this.#starts.byteLength + this.#text.byteLength;
  }
}

let opened: PlaceTable | undefined;

/** The table of the file beside this module, read at the first call. */
export function openPlaces(): PlaceTable {
  opened ??= new PlaceTable(
    unpackPlaces(brotliDecompressSync(readFileSync(join(import.meta.dirname, "places.bin.br")))),
  );
  return opened;
}
