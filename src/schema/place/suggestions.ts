import { LRUCache } from "lru-cache";
import { suggestPlaces } from "../../gazetteer/index.ts";

/** A place to choose from a list. `near` takes its `label`. */
export interface PlaceSuggestion {
  /** `Berlin, Germany`. */
  label: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** Degrees. */
  lat: number;
  lng: number;
}

/** Longer beginnings of a name suggest nothing. */
export const BEGUN_CHARS = 100;
const SUGGESTED = 8;
/** A look-up takes some milliseconds; a list takes some 500 bytes. */
const remembered = new LRUCache<string, readonly PlaceSuggestion[]>({ max: 1_000 });

/** At most eight places whose names begin so, in any language and script, the largest first. */
export function placeSuggestions(begun: string): readonly PlaceSuggestion[] {
  const text = begun.normalize("NFC").trim().toLowerCase();
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const found = suggestPlaces(text, SUGGESTED).map(({ label, country, lat, lng }) => {
    return { label, country, lat, lng };
  });
  remembered.set(text, found);
  return found;
}
