import tzLookup from "@photostructure/tz-lookup";
import { countryNamed, resolvePlace } from "../src/gazetteer/index.ts";

/** A town. Coordinates are in degrees, from GeoNames (CC BY 4.0), good to about a kilometre. */
export interface Place {
  name: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  lat: number;
  lng: number;
  /** IANA zone. */
  timezone: string;
}

/**
 * The town meant by a name and a country as people write them: "München" or "Munich", "Portland, OR" with "U.S.A.",
 * "Krakow" with "Poland".
 *
 * @param country  null when unknown
 * @returns null for an unknown town, or one of several: no place is better than a wrong one
 */
export function townOf(city: string, country: string | null): Place | null {
  const code = country === null ? null : countryNamed(country);
  if (city === "" || (country !== null && code === null)) return null;
  const found = resolvePlace(country === null ? city : `${city}, ${country}`);
  if (!("place" in found) || (code !== null && found.place.country !== code)) return null;
  const { name, country: countryCode, lat, lng } = found.place;
  return { name, countryCode, lat, lng, timezone: tzLookup(lat, lng) };
}
