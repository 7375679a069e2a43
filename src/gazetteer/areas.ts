import { LRUCache } from "lru-cache";
import { readData } from "../data/read.ts";
import { kmBetween, type PlaceTable } from "./file.ts";
import { foldedPlace } from "./fold.ts";
import { isCountryName, regionCodes } from "./regions.ts";

/** Gives a country, region or island as the circle around it. */
export interface Area {
  /** Its form names this area alone. */
  label: string;
  /** Coordinates are in degrees. */
  lat: number;
  lng: number;
  radiusKm: number;
}

/**
 * These islands and regions are no division of the table: each has its middle, the radius around it in km, and names. They
 * were added by hand.
 */
const BY_HAND = readData<[lat: number, lng: number, radiusKm: number, ...names: string[]]>("areas.jsonl");

let byName: ReadonlyMap<string, Omit<Area, "label">> | undefined;

/** The table is made at the first call. */
function areasByHand() {
  byName ??= new Map(
    BY_HAND.flatMap(([lat, lng, radiusKm, ...names]) =>
      names.map((name) => [foldedPlace(name), { lat, lng, radiusKm }] as const),
    ),
  );
  return byName;
}

/** Tells whether a name is that of an island or region with its own entry. @param folded  by `foldedPlace` */
export const isByHand = (folded: string): boolean => areasByHand().has(folded);

/** The middle of an area of this radius still says where something is. */
export const SMALL_KM = 100;
/** No search reaches farther than this. */
const RADIUS_MAX_KM = 500;
/** The radius of a division holds this share of its people; the rest live far out. */
const SHARE = 0.95;

/**
 * Finds the area that a name of a country, region or island means; null where it means several, or more than a search
 * reaches.
 */
export function areaNamed(table: PlaceTable, name: string): Area | null {
  const folded = foldedPlace(name);
  const known = areasByHand().get(folded);
  if (known !== undefined) return { label: name, ...known };
  const codes = regionCodes().get(folded) ?? [];
  const [code = ""] = codes;
  // A name that stands under the code of its country alone says nothing of where in it it lies.
  const isWhole = codes.length === 1 && (code.includes(".") || isCountryName(folded));
  const middle = isWhole ? middles.memo(code, { context: table }).middle : null;
  return middle === null || middle.radiusKm > RADIUS_MAX_KM ? null : { label: name, ...middle };
}

type Middle = Omit<Area, "label"> | null;

/** A large country has ten thousand places. */
const middles = new LRUCache<string, { middle: Middle }, PlaceTable>({
  max: 500,
  memoMethod: (code, _stale, { context }) => ({ middle: middleOf(context, code) }),
});

/** Finds the middle of the people of a division, and how far around it nearly all of them live. */
function middleOf(table: PlaceTable, code: string): Middle {
  const places = table.inDivision(code).map((place) => table.get(place));
  const all = places.reduce((sum, { population }) => sum + population, 0);
  const [first] = places;
  if (first === undefined || all === 0) return null;
  // It counts degrees east of the first place, so that the antimeridian divides nothing.
  const east = (lng: number) => ((lng - first.lng + 540) % 360) - 180;
  const mean = (of: (place: { lat: number; lng: number }) => number) =>
    places.reduce((sum, place) => sum + of(place) * place.population, 0) / all;
  const lng = ((first.lng + mean((place) => east(place.lng)) + 540) % 360) - 180;
  const middle = { lat: rounded(mean((place) => place.lat)), lng: rounded(lng) };
  const far = places
    .map((place) => ({ km: kmBetween(place, middle), population: place.population }))
    .sort((a, b) => a.km - b.km);
  let within = 0;
  const edge = far.find(({ population }) => {
    within += population;
    return within >= SHARE * all;
  });
  return { ...middle, radiusKm: Math.max(5, Math.ceil((edge?.km ?? 0) / 5) * 5) };
}

const rounded = (degrees: number) => Math.round(degrees * 100) / 100;
