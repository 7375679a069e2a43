/** A place on the map, in degrees. */
export interface Point {
  lat: number;
  lng: number;
}

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?`;
const DECIMALS = new RegExp(String.raw`^(${NUMBER})°?\s*(?:[,;]\s*|\s+)(${NUMBER})°?$`, "i");
/** Decimal commas, as in `52,52; 13,40`. */
const COMMAS = /^([+-]?\d{1,3},\d+)(?:\s*;\s*|\s+)([+-]?\d{1,3},\d+)$/;
/** One half of `52°31'12"N 13°24'36"E`, or of `52.52 N, 13.40 E`. */
const HALF = String.raw`(\d{1,3}(?:\.\d+)?)\s*°?\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’]\s*(?:(\d{1,2}(?:\.\d+)?)\s*["″”]\s*)?)?`;
const HEMISPHERES = new RegExp(String.raw`^${HALF}([NS])[\s,;]*${HALF}([EW])$`, "i");

/**
 * Coordinates as people write them: `52.52,13.40`, `52.52 13.40`, `(52.52; 13.40)`, `geo:52.52,13.40`, `lat=52.52, lng=13.40`,
 * `52.52°N 13.40°E`, `52°31'12"N, 13°24'36"E`.
 *
 * @returns null for a text that holds no two numbers in this order, or numbers beyond the poles and the antimeridian
 */
export function pointOfText(sent: string): Point | null {
  const text = sent
    .trim()
    .replace(/^geo:([^;?]*).*$/i, "$1")
    .replace(/^[([{]\s*(.*?)\s*[)\]}]$/, "$1")
    .replace(/"?\b(?:lat|latitude|lng|lon|long|longitude)\b"?\s*[=:]\s*/gi, "")
    .replaceAll("−", "-");
  const [, south, west] = DECIMALS.exec(text) ?? COMMAS.exec(text) ?? [];
  if (south !== undefined && west !== undefined)
    return pointWithin(Number(south.replace(",", ".")), Number(west.replace(",", ".")));
  const parts = HEMISPHERES.exec(text);
  if (parts === null) return null;
  const half = (at: number) =>
    Number(parts[at]) + Number(parts[at + 1] ?? 0) / 60 + Number(parts[at + 2] ?? 0) / 3600;
  const sign = (at: number) => (/[SW]/i.test(parts[at] ?? "") ? -1 : 1);
  return pointWithin(rounded(half(1) * sign(4)), rounded(half(5) * sign(8)));
}

/** The point, or null when it is beyond the poles or the antimeridian. */
export function pointWithin(lat: number, lng: number): Point | null {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

/** Six decimals: a decimetre. */
const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
