import type { Point } from "../../schema/place.ts";

/** The box is in degrees. When `west > east` it crosses the antimeridian. */
export interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** The Earth has this mean radius (IUGG), which keeps great circles within 0.6 % of the ellipsoid. */
export const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Takes the great-circle distance in km, by the haversine formula, which is exact for near points too. */
export function distanceKm(a: Point, b: Point): number {
  const halfLat = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const halfLng = Math.sin(((b.lng - a.lng) * RADIANS) / 2);
  const h = halfLat * halfLat + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * halfLng * halfLng;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * Gives the smallest box, a hair widened, that holds every point within `radiusKm` of a point. Around a pole it holds all
 * longitudes.
 */
export function boxAround(center: Point, radiusKm: number): Box {
  const angle = (radiusKm / EARTH_RADIUS_KM) * (1 + 1e-9) + 1e-9;
  const south = center.lat - angle / RADIANS;
  const north = center.lat + angle / RADIANS;
  if (south <= -90 || north >= 90) {
    return { south: Math.max(south, -90), north: Math.min(north, 90), west: -180, east: 180 };
  }
  // The outermost meridian touches the circle nearer to the pole than the centre lies.
  const reach = Math.asin(Math.min(1, Math.sin(angle) / Math.cos(center.lat * RADIANS))) / RADIANS;
  return { south, north, west: wrapped(center.lng - reach), east: wrapped(center.lng + reach) };
}

/** True when a point lies in a box, edges included. */
export function inBox(box: Box, lat: number, lng: number): boolean {
  if (lat < box.south || lat > box.north) return false;
  if (box.west <= box.east) return lng >= box.west && lng <= box.east;
  return lng >= box.west || lng <= box.east;
}

function wrapped(lng: number): number {
  if (lng < -180) return lng + 360;
  return lng > 180 ? lng - 360 : lng;
}
