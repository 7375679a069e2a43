import { readData } from "../data/read.ts";
import { foldedPlace } from "./fold.ts";

/** Degrees are kept in steps of 1/200, which moves no place by more than 400 m. */
export const STEP = 200;

/** Populations are kept in steps of a tenth, 24 to a factor of ten: that shows which of two towns is larger. */
export const PER_TENFOLD = 24;

/** Holds a town or district, as the file has it. */
export interface PlaceRecord {
  name: string;
  /** Coordinates are in degrees, in steps of `STEP`. */
  lat: number;
  lng: number;
  /** The number is rounded to a tenth. */
  population: number;
  /** Joins ISO 3166-1 alpha-2 and the first-order division of GeoNames: `US.IL`, `DE.16`. */
  region: string;
  /** True for a part of a larger place. */
  district: boolean;
}

/**
 * The file has these lines. Each has one field of all places, in the order of their folded names. `region` has indexes into
 * `regions`, `lat` and `lng` are steps from the middle of the region, and `districts` has the numbers of places that are
 * one. `others` are further names, in the order of their folded forms, and `otherPlace` the numbers of their places.
 */
export type PlaceColumns = [
  names: string[],
  regions: string[],
  middleLat: number[],
  middleLng: number[],
  region: number[],
  lat: number[],
  lng: number[],
  population: number[],
  districts: number[],
  others: string[],
  otherPlace: number[],
];

/**
 * Holds all places, 135,000 of them in 10 MB; as objects they would take four times as much. The number of a place is its
 * index in the order of folded names.
 */
export class PlaceTable {
  readonly size: number;
  readonly #names: SortedNames;
  readonly #regions: readonly string[];
  readonly #region: Uint16Array;
  readonly #lat: Float64Array;
  readonly #lng: Float64Array;
  readonly #population: Uint32Array;
  readonly #districts: ReadonlySet<number>;
  readonly #others: SortedNames;
  readonly #otherPlace: Uint32Array;

  constructor(columns: PlaceColumns) {
    const [
      names,
      regions,
      middleLat,
      middleLng,
      region,
      lat,
      lng,
      population,
      districts,
      others,
      otherPlace,
    ] = columns;
    const degrees = (away: number[], middles: number[]) =>
      Float64Array.from(away, (step, at) => ((middles[region[at] ?? 0] ?? 0) + step) / STEP);
    this.size = names.length;
    this.#names = new SortedNames(names);
    this.#regions = regions;
    this.#region = Uint16Array.from(region);
    this.#lat = degrees(lat, middleLat);
    this.#lng = degrees(lng, middleLng);
    this.#population = Uint32Array.from(population, (steps) => Math.round(10 ** (steps / PER_TENFOLD)));
    this.#districts = new Set(districts);
    this.#others = new SortedNames(others);
    this.#otherPlace = Uint32Array.from(otherPlace);
  }

  /** Finds the numbers of the places with a name, each once. @param folded  by `foldedPlace` */
  named(folded: string): number[] {
    return this.#between(folded, `${folded}\0`).all;
  }

  /** Tells whether a name begins with this. @param folded  by `foldedPlace` */
  hasBeginning(folded: string): boolean {
    return this.#names.hasBeginning(folded) || this.#others.hasBeginning(folded);
  }

  /** Finds numbers of the places whose own name begins with this, and of those where only another name does. */
  beginningWith(folded: string): { own: number[]; others: number[] } {
    const { all, own } = this.#between(folded, `${folded}\u{10FFFF}`);
    return { own: all.slice(0, own), others: all.slice(own) };
  }

  get(place: number): PlaceRecord {
    return {
      name: this.#names.at(place),
      lat: this.#lat[place] ?? 0,
      lng: this.#lng[place] ?? 0,
      population: this.population(place),
      region: this.#regions[this.#region[place] ?? 0] ?? "",
      district: this.#districts.has(place),
    };
  }

  /** Finds the numbers of the places in a country or division: `US`, `US.IL`. */
  inDivision(code: string): number[] {
    const within = this.#regions.map((region) => region === code || region.startsWith(`${code}.`));
    const found: number[] = [];
    for (let at = 0; at < this.#region.length; at += 1)
      if (within[this.#region[at] ?? 0] === true) found.push(at);
    return found;
  }

  population(place: number): number {
    return this.#population[place] ?? 0;
  }

  /** Finds the numbers of the places around a point, for 100 km at most. It compares all places, which takes 0.2 to 0.4 ms. */
  around(point: Point, km: number): number[] {
    const [lats, lngs] = [this.#lat, this.#lng];
    const high = km / KM_PER_DEGREE;
    const wide = high / Math.max(Math.cos((point.lat * Math.PI) / 180), 0.05);
    const found: number[] = [];
    for (let at = 0; at < lats.length; at += 1) {
      const lat = lats[at] ?? 0;
      if (Math.abs(lat - point.lat) > high) continue;
      const lng = lngs[at] ?? 0;
      if (Math.abs(lng - point.lng) <= wide && kmBetween({ lat, lng }, point) <= km) found.push(at);
    }
    return found;
  }

  /** Finds places with a name in a range of folded forms, each once. The first `own` of them have it as their own name. */
  #between(from: string, before: string): { all: number[]; own: number } {
    const found = new Set<number>();
    const end = this.#names.firstFrom(before);
    for (let at = this.#names.firstFrom(from); at < end; at += 1) found.add(at);
    const own = found.size;
    const others = this.#otherPlace.subarray(this.#others.firstFrom(from), this.#others.firstFrom(before));
    for (const place of others) found.add(place);
    return { all: [...found], own };
  }
}

/**
 * Keeps names in the order of their folded forms. Folded forms are remembered: binary searches read the same ones over and
 * over.
 */
class SortedNames {
  readonly #names: readonly string[];
  readonly #folded = new Map<number, string>();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  at(number: number): string {
    return this.#names[number] ?? "";
  }

  /** Finds the number of the first name whose folded form is not before this one. */
  firstFrom(folded: string): number {
    let [from, to] = [0, this.#names.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#foldedAt(middle) >= folded) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  hasBeginning(folded: string): boolean {
    return this.#foldedAt(this.firstFrom(folded)).startsWith(folded);
  }

  #foldedAt(number: number): string {
    const known = this.#folded.get(number);
    if (known !== undefined) return known;
    const folded = foldedPlace(this.at(number));
    this.#folded.set(number, folded);
    return folded;
  }
}

let opened: PlaceTable | undefined;

/** Reads the table of `src/data/places.jsonl.br` at the first call. */
export function openPlaces(): PlaceTable {
  opened ??= new PlaceTable(readData("places.jsonl.br") as PlaceColumns);
  return opened;
}

const KM_PER_DEGREE = 111.2;

interface Point {
  lat: number;
  lng: number;
}

/** Takes the distance of two places on a flat map: good to a few per cent up to 100 km, and large beyond. */
export function kmBetween(a: Point, b: Point): number {
  const turn = Math.abs(a.lng - b.lng);
  const east = Math.min(turn, 360 - turn) * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return KM_PER_DEGREE * Math.hypot(a.lat - b.lat, east);
}
