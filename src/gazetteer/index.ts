import { distance } from "fastest-levenshtein";
import { type Area, areaNamed, isByHand } from "./areas.ts";
import { kmBetween, openPlaces, type PlaceRecord, type PlaceTable } from "./file.ts";
import { foldedPlace } from "./fold.ts";
import { labelOf, labelsApart } from "./labels.ts";
import { regionCodes } from "./regions.ts";

/** GeoNames has it as a town or district. */
export interface GazetteerPlace {
  /** Its form names this place alone: `Berlin, Germany`, `Springfield, Illinois`, `Kreuzberg, Berlin`. */
  label: string;
  name: string;
  /** The code is ISO 3166-1 alpha-2. */
  country: string;
  /** Coordinates are in degrees, good to about a kilometre. */
  lat: number;
  lng: number;
  population: number;
  /** True for a part of a larger place. */
  district: boolean;
}

/**
 * A name means one place, with others of the name that are of comparable size; one of several; a country or region, which
 * is better known than the towns of its name, as an area where that is known and no larger than a search reaches; or no
 * place, with suggestions.
 */
export type Resolved =
  | { place: GazetteerPlace; others: GazetteerPlace[] }
  | { oneOf: GazetteerPlace[] }
  | { region: string; area: Area | null; namesakes: GazetteerPlace[] }
  | { unknown: GazetteerPlace[] };

type Fits = (place: { lat: number; lng: number }) => boolean;

/** A place is meant when it is this many times as large as the next one of its name. */
const DOMINANCE = 4;
/** Places of one name that are closer than this count as one. */
const SAME_KM = 15;
/** A place is at most this far from the one it is said to be in or near. */
const AROUND_KM = 60;
/** Other places of the name are named beside the one that is meant if they are at least a tenth as large. */
const COMPARABLE = 10;
/** This many other places of the name are named. */
const NAMESAKES_SHOWN = 5;
/** Longer names are cut. */
const NAME_CHARS = 200;

/**
 * Finds the place that a person means by a name: "Berlin", "Kreuzberg, Berlin", "Portland, OR", "東京", "Café Kino, Leipzig".
 * Of several places with the name it is the one in the region, country or town that is named beside it, else one that is
 * several times as large as all others.
 *
 * @param fits  whether a place may be meant, such as one in a given time zone
 */
export function resolvePlace(sent: string, fits: Fits = () => true): Resolved {
  const table = openPlaces();
  const text = sent.normalize("NFC").slice(0, NAME_CHARS).trim();
  for (const reading of readingsOf(text)) {
    const found = candidatesOf(table, reading).filter((place) => fits(table.get(place)));
    const isBare = reading.beside.length === 0 || found.length === 0;
    if (isBare && isRegion(table, reading.name, namedLike(table, reading.name))) {
      const namesakes = largestOf(table, found, 2).map((place) => table.get(place));
      return {
        region: reading.name,
        area: areaNamed(table, reading.name),
        namesakes: labelsApart(table, namesakes).map(placeWith),
      };
    }
    if (found.length > 0) return decided(table, found, reading.name);
  }
  return { unknown: placesLike(table, text) };
}

/** Finds the place that this name means without doubt, alone or with its region behind a comma; else null. */
export function placeNamed(name: string, fits: Fits = () => true): GazetteerPlace | null {
  const table = openPlaces();
  const [first = "", ...beside] = name.split(",").map((part) => part.trim());
  const named = candidatesOf(table, { name: first, beside, before: [], strict: true });
  const found = named.filter((place) => fits(table.get(place)));
  if (found.length === 0 || (beside.length === 0 && isRegion(table, first, found))) return null;
  const decision = decided(table, found, first);
  return "place" in decision ? decision.place : null;
}

/** Tells whether a name of a place begins with these words and has more, as "Newcastle upon Tyne" begins with "Newcastle". */
export function beginsLongerName(words: string): boolean {
  const table = openPlaces();
  // `foldedPlace` reads "St." as "Saint" only where a word follows.
  const beginning = foldedPlace(`${words} a`).slice(0, -1);
  return (
    table.hasBeginning(beginning) || (UMLAUT.test(beginning) && table.hasBeginning(withUmlauts(beginning)))
  );
}

/** A town of this population is meant rather than the state or island it lies in: New York. */
const OVER_STATE = 100_000;
/** A town of this population is meant rather than a region elsewhere. */
const OVER_REGION = 500_000;

/**
 * Tells whether a name means a country, nation, island or region, not a town of that name elsewhere. A town in the region
 * itself is meant: Luxembourg, Salzburg.
 */
function isRegion(table: PlaceTable, name: string, towns: readonly number[]): boolean {
  const folded = foldedPlace(name);
  const codes = folded.length < 3 ? [] : (regionCodes().get(folded) ?? []);
  if (codes.length === 0) return false;
  return towns.every((town) => {
    const { region, population } = table.get(town);
    if (population >= OVER_REGION) return false;
    const isKnown = isByHand(folded) || codes.some((code) => code.includes("."));
    return !isInOne(region, codes) || (population < OVER_STATE && isKnown);
  });
}

/** Tells whether a division of GeoNames lies in the country of one of these codes. */
const isInOne = (region: string, codes: readonly string[]) =>
  codes.some((code) => code.slice(0, 2) === region.slice(0, 2));

/** Holds one way to read a name. */
interface Reading {
  name: string;
  /** The place must be in or near these regions, countries and towns; unknown ones are passed over. */
  beside: readonly string[];
  /** These words may be a venue, or show which place is meant. */
  before: readonly string[];
  /** Nothing in `beside` may be unknown. */
  strict: boolean;
}

/** These words before or behind a name do not show which place is meant. */
const AROUND_WORDS =
  /^(?:near|in|around|at|close to|next to|downtown|central|greater|inner|the city of|city of|bei|à|em|en|a)\s+|\s+(?:area|metro area|region|city centre|city center|downtown|centre|center)$/giu;
/** These additions distinguish towns of one name: "im Breisgau", "am Neckar". */
const WHERE = /\s(?:am|an der|im|in der|vor der|ob der|bei|upon|sur)\s.+$/iu;
const SEPARATORS = /[,;/|()（）、，\n]+|\s[-–—·]\s/u;
/** Names of more words are tried as a whole only. */
const WORDS_MAX = 8;

function* readingsOf(text: string): Generator<Reading> {
  // Names are tried first as labels are written: "San Antonio, Texas" does not mean a village called San Antonio Texas.
  const [first = "", ...beside] = text.split(/[,，、]/u).map((part) => part.trim());
  if (beside.length > 0) yield { name: first, beside, before: [], strict: true };
  yield { name: text, beside: [], before: [], strict: false };
  const parts = text
    .split(SEPARATORS)
    .map(withoutNumbers)
    .filter((part) => /\p{L}/u.test(part));
  if (parts.length > 1) {
    for (const [at, name] of parts.entries())
      yield { name, beside: parts.slice(at + 1), before: parts.slice(0, at), strict: false };
  }
  const [only = ""] = parts;
  const words = only.split(/[\s-]+/u);
  if (parts.length === 1 && only !== text) yield { name: only, beside: [], before: [], strict: false };
  if (parts.length === 1 && words.length > 1 && words.length <= WORDS_MAX) {
    for (let end = words.length - 1; end > 0; end -= 1) {
      const [first, last] = [words.slice(0, end).join(" "), words.slice(end).join(" ")];
      yield { name: first, beside: [last], before: [], strict: true };
      yield { name: last, beside: [first], before: [], strict: true };
    }
  }
  const short = text.replace(WHERE, "");
  if (short !== text) yield { name: short, beside: [], before: [], strict: false };
  const bare = text.replace(AROUND_WORDS, "").trim();
  if (bare !== text && bare !== "") yield* readingsOf(bare);
}

/** Drops house numbers and postal codes. */
const withoutNumbers = (text: string) =>
  text
    .split(/\s+/u)
    .filter((word) => !/\d/.test(word))
    .join(" ")
    .trim();

/** Finds numbers of the places that a reading may mean; empty when what is beside the name fits none of them. */
function candidatesOf(table: PlaceTable, { name, beside, before, strict }: Reading): number[] {
  let found = namedLike(table, name);
  for (const words of found.length === 0 ? [] : beside) {
    const narrowed = narrowedBy(table, found, words);
    if (narrowed === null && strict) return [];
    if (narrowed !== null) found = narrowed;
  }
  for (const words of found.length < 2 ? [] : before) {
    const narrowed = narrowedBy(table, found, words) ?? [];
    if (narrowed.length > 0) found = narrowed;
  }
  return found;
}

/** Finds places of a name, in which umlauts may be written as two letters: Koeln is Köln, Aarhus is Århus. */
function namedLike(table: PlaceTable, name: string): number[] {
  const folded = foldedPlace(name);
  if (folded === "") return [];
  const found = table.named(folded);
  return found.length > 0 || !UMLAUT.test(folded) ? found : table.named(withUmlauts(folded));
}

const UMLAUT = /[aou]e|aa/;
/** `ae`, `oe`, `ue` and `aa` become the letters that folding makes of ä, ö, ü and å. */
const withUmlauts = (folded: string) => folded.replace(/([aou])e|aa/g, (_, letter = "a") => letter);

/** Keeps the candidates in a region or country, or near a place, of this name; null for words that name none. */
function narrowedBy(table: PlaceTable, found: readonly number[], words: string): number[] | null {
  const codes = regionCodes().get(foldedPlace(words)) ?? [];
  const inside = found.filter((place) => {
    const { region } = table.get(place);
    return codes.some((code) => region === code || region.startsWith(`${code}.`));
  });
  if (inside.length > 0) return inside;
  const anchors = largestOf(table, namedLike(table, words), 5).map((place) => table.get(place));
  if (anchors.length === 0) return codes.length === 0 ? null : [];
  return found.filter((place) => anchors.some((anchor) => isBeside(table.get(place), anchor)));
}

/** Tells whether a place may be part of the other, or is a smaller one near it. */
const isBeside = (place: PlaceRecord, anchor: PlaceRecord) =>
  place.name !== anchor.name &&
  place.population <= anchor.population &&
  kmBetween(place, anchor) <= AROUND_KM;

function largestOf(table: PlaceTable, places: readonly number[], most: number): number[] {
  return [...places].sort((a, b) => table.population(b) - table.population(a) || a - b).slice(0, most);
}

/** @param name  as sent: a place that is spelt exactly like this is meant rather than one with accents */
function decided(table: PlaceTable, found: readonly number[], name: string): Resolved {
  const records = largestOf(table, found, found.length).map((place) => table.get(place));
  const apart = records.filter(
    (record, at) => !records.slice(0, at).some((larger) => kmBetween(record, larger) <= SAME_KM),
  );
  const shown = labelsApart(table, apart.slice(0, NAMESAKES_SHOWN + 1), apart).map(placeWith);
  const comparable = (other: GazetteerPlace) => other.population * COMPARABLE >= (shown[0]?.population ?? 0);
  const spelt = apart.filter((record) => record.name.toLowerCase() === name.toLowerCase());
  const isMeant = dominates(apart) || (spelt[0] === apart[0] && dominates(spelt));
  const [place, ...others] = shown;
  return isMeant && place !== undefined ? { place, others: others.filter(comparable) } : { oneOf: shown };
}

/** The first is several times as large as the next. */
const dominates = ([first, second]: readonly PlaceRecord[]) =>
  first !== undefined &&
  (second === undefined || first.population >= DOMINANCE * Math.max(second.population, 1));

function placeWith({ record, label }: { record: PlaceRecord; label: string }): GazetteerPlace {
  const { name, region, lat, lng, population, district } = record;
  return { label, name, country: region.slice(0, 2), lat, lng, population, district };
}

/** Suggests places for an unknown name, three at most: those named by a part of it, and those with one or two other letters. */
function placesLike(table: PlaceTable, text: string): GazetteerPlace[] {
  const parts = text.split(/[\s,-]+/u).filter((part) => part.length >= 4);
  const larger = (place: number) => table.population(place) >= ADVISED_POPULATION;
  const named =
    parts.length < 2
      ? []
      : parts.flatMap((part) => largestOf(table, namedLike(table, part), 1)).filter(larger);
  const folded = foldedPlace(text.split(",")[0] ?? "");
  const slips = folded.length < 4 || folded.length > 40 ? 0 : folded.length < 7 ? 1 : 2;
  const close =
    slips === 0
      ? []
      : table
          .beginningWith(folded.slice(0, 1))
          .own.filter(larger)
          .filter((place) => distance(foldedPlace(table.get(place).name), folded) <= slips);
  return largestOf(table, [...new Set([...named, ...close])], 3).map((place) => {
    const record = table.get(place);
    return placeWith({ record, label: labelOf(table, record) });
  });
}

const ADVISED_POPULATION = 50_000;

/**
 * Lists places whose name begins with this, the largest first, to choose from. A match by another name of a place counts
 * less.
 */
export function suggestPlaces(beginning: string, most = 8): GazetteerPlace[] {
  const table = openPlaces();
  const folded = foldedPlace(beginning.slice(0, NAME_CHARS));
  if (folded.length < (/^[a-z ]*$/.test(folded) ? 2 : 1)) return [];
  const { own, others } = table.beginningWith(folded);
  const weights = new Map(own.map((place) => [place, table.population(place)]));
  for (const place of others) weights.set(place, table.population(place) * OTHER_NAME_WEIGHT);
  const best = [...weights].sort((a, b) => b[1] - a[1]).slice(0, most * 2);
  const records = best.map(([place]) => table.get(place));
  return labelsApart(table, records).slice(0, most).map(placeWith);
}

const OTHER_NAME_WEIGHT = 0.1;

/** Finds the largest place with these coordinates in the gazetteer, or null. */
export function townAt(point: { lat: number; lng: number }): GazetteerPlace | null {
  const table = openPlaces();
  const [place] = largestOf(table, table.around(point, SAME_SPOT_KM), 1);
  if (place === undefined) return null;
  const record = table.get(place);
  return placeWith({ record, label: labelOf(table, record) });
}

/** A point is named by a town within this distance. */
const TOWN_KM = 20;
/** A label is compared with this many places of one name. */
const NAMESAKES = 40;

/** Finds the number of the town by which people name a point: the largest within 20 km, or null. */
export function townAround(point: { lat: number; lng: number }): number | null {
  const table = openPlaces();
  const towns = table.around(point, TOWN_KM).filter((each) => !table.get(each).district);
  return largestOf(table, towns, 1)[0] ?? null;
}

/** Gives the town of a number, or null when no label distinguishes it from others of its name. */
export function townNumbered(town: number): GazetteerPlace | null {
  const table = openPlaces();
  const namesakes = largestOf(table, namedLike(table, table.get(town).name), NAMESAKES);
  const records = namesakes.map((each) => table.get(each));
  const record = records[namesakes.indexOf(town)] ?? table.get(town);
  const [shown] = labelsApart(table, [record], records);
  return shown === undefined ? null : placeWith(shown);
}

/** Rounding moves a place by no more. */
const SAME_SPOT_KM = 0.4;
