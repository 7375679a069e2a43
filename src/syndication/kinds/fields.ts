import { feedSpan } from "../dates.ts";

/** A JSON object or parsed element whose names are not known beforehand. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first of some fields that holds a text or a number, trimmed. */
export function textIn(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

/**
 * The first that holds a date, as its first moment: text as `feedSpan` reads it, or a number of seconds or milliseconds
 * since 1970.
 * @param timezone  IANA zone of times without one
 */
export const dateIn = (fields: Fields, timezone: string, ...names: string[]): number | null =>
  spanIn(fields, timezone, names)?.from ?? null;

/** The same as its last moment: an end by its day includes that day. */
export const endIn = (fields: Fields, timezone: string, ...names: string[]): number | null =>
  spanIn(fields, timezone, names)?.to ?? null;

function spanIn(fields: Fields, timezone: string, names: readonly string[]): ReturnType<typeof feedSpan> {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") {
      const at = value < SECONDS_BELOW ? value * 1000 : value;
      return { from: at, to: at };
    }
    const span = typeof value === "string" ? feedSpan(value, timezone) : null;
    if (span !== null) return span;
  }
  return null;
}

/** Smaller numbers are seconds: as milliseconds they would be before March 1973. */
const SECONDS_BELOW = 1e11;

/** A coordinate as number or text, or null. */
export function coordinate(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** The items of a list, or the one item where a format writes no list for one. */
export const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
