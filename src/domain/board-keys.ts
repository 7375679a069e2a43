import { BoardError } from "../board/failures.ts";
import { API_KEY_LENGTH, looksLikeApiKey } from "./secrets.ts";

/** A match looks like a key by its form alone: a key with a typing error tells nearly as much as the key. */
const FORM = /(?<![0-9A-Za-z_])bbk_[0-9A-Za-z]{38}(?![0-9A-Za-z_])/;
/** Nobody sees these characters. */
const INVISIBLE = /[\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}]/gu;
const PREFIX = "bbk";

/**
 * Refuses input that holds an API key of a board. It goes through every string of every field, and also finds a key that
 * is split by blanks, signs or invisible characters, spread over neighbouring fields, stuck in a word, percent-encoded or
 * written in full-width letters: there the checksum tells a key from other text.
 *
 * @param input  what a caller sent, of any shape
 * @throws BoardError `contains_api_key`
 */
export function refuseBoardKeys(input: unknown): void {
  const texts = stringsIn(input).map((text) => unescaped(text).normalize("NFKC").replace(INVISIBLE, ""));
  if (texts.some((text) => FORM.test(text)) || holdsKey(texts.join(""))) {
    throw new BoardError("contains_api_key");
  }
}

/** Tells whether a key with the right checksum is left when all signs are taken out of a text. It takes time linear in its length. */
function holdsKey(text: string): boolean {
  const letters = text.replace(/[^0-9A-Za-z]+/g, "");
  for (let at = letters.indexOf(PREFIX); at !== -1; at = letters.indexOf(PREFIX, at + 1)) {
    const rest = letters.slice(at + PREFIX.length, at + API_KEY_LENGTH - 1);
    if (looksLikeApiKey(`${PREFIX}_${rest}`)) return true;
  }
  return false;
}

/** Decodes percent-encoded ASCII. */
const unescaped = (text: string) =>
  text.replace(/%([2-7][0-9A-Fa-f])/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Gives strings and names of a value; those of neighbouring fields come one after the other. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== "object" || value === null) return [];
  return [...Object.values(value).flatMap(stringsIn), ...Object.keys(value)];
}
