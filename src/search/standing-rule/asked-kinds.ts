import { readData } from "../../data/read.ts";
import { plainSpelling } from "../tokens.ts";

/**
 * Words of a query that say which kind of post would answer it, whatever it is about. Each is a whole word or phrase
 * without accents; a final `*` takes any ending.
 */
const [WORDS = {}] = readData<Readonly<Record<string, readonly string[]>>>("asked-kinds.json");
const PATTERNS = Object.entries(WORDS).map(
  ([kind, words]) => [kind, new RegExp(`\\b(?:${words.join("|").replaceAll("*", "\\w*")})\\b`)] as const,
);

/** Kinds of post that would answer a query, by its words. */
export function askedKinds(text: string): string[] {
  const plain = plainSpelling(text);
  return PATTERNS.filter(([, pattern]) => pattern.test(plain)).map(([kind]) => kind);
}
