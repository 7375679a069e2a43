export const KM_PER_DEGREE = 111.2;

interface Point {
  lat: number;
  lng: number;
}

/** The distance of two places on a flat map: good to a few per cent up to 100 km, and large beyond. */
export function kmBetween(a: Point, b: Point): number {
  const turn = Math.abs(a.lng - b.lng);
  const east = Math.min(turn, 360 - turn) * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return KM_PER_DEGREE * Math.hypot(a.lat - b.lat, east);
}
