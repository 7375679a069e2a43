import { readData } from "../../data/read.ts";
import { plainSpelling } from "./tokens.ts";

/** Languages go by their ISO 639-1 codes; those that share most of these words share an entry. */
const [BY_LANGUAGE = {}] = readData<Readonly<Record<string, string>>>("stop-words.json");
const SETS = new Map(
  Object.entries(BY_LANGUAGE).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** These English words occur in most posts and say nothing. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = SETS.get("en") ?? new Set();
const OTHERS = [...SETS].filter(([language]) => language !== "en");

/** These words of a language say nothing; they have no accents. */
export const stopWordsOf = (language: string): ReadonlySet<string> =>
  new Set([...(SETS.get(language) ?? [])].map(plainSpelling));

/** A query must have this many stop words of a language before they are dropped: one alone may be a name. */
const STOP_WORDS_MIN = 2;

/** True for a stop word of English. */
export const isStopWord = (word: string): boolean => ENGLISH_STOP_WORDS.has(word);

/** True for a stop word of any language. */
export const isAnyStopWord = (word: string): boolean => [...SETS.values()].some((stops) => stops.has(word));

/** True when words look like a language other than English. */
export const isOtherLanguage = (words: readonly string[]): boolean => languagesOf(words).length > 0;

/** Leaves out lower-case words of English that say nothing, and of the language that they look like. */
export function withoutStopWords(words: readonly string[]): string[] {
  const languages = languagesOf(words);
  return words.filter(
    (word) => !isStopWord(word) && !languages.some((language) => SETS.get(language)?.has(word)),
  );
}

/** Finds languages with the most stop words among some words, at least two of them and more than English has. */
function languagesOf(words: readonly string[]): string[] {
  const counted = (stops: ReadonlySet<string>) => words.filter((word) => stops.has(word)).length;
  const counts = OTHERS.map(([language, stops]) => ({ language, count: counted(stops) }));
  const most = Math.max(STOP_WORDS_MIN, counted(ENGLISH_STOP_WORDS) + 1, ...counts.map(({ count }) => count));
  return counts.filter(({ count }) => count === most).map(({ language }) => language);
}
