import { createHash } from "node:crypto";
import { ENGLISH_STOP_WORDS, stopWordsOf } from "../stop-words.ts";
import { comparableWords, plainSpelling } from "../tokens.ts";
import { HOME } from "./home.ts";
import { LIFE } from "./life.ts";
import { PEOPLE } from "./people.ts";
import { TOWN } from "./town.ts";

/**
 * The words of notices in seven languages, for a model that reads English. A row is one thing: its name in English, then
 * in German, French, Spanish, Italian, Dutch, Polish and Portuguese, as stems; a hyphen stands for a blank.
 */
const ROWS = [HOME, PEOPLE, LIFE, TOWN];
const LANGUAGES = ["de", "fr", "es", "it", "nl", "pl", "pt"] as const;
type Language = (typeof LANGUAGES)[number];

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<Language> = new Set(["de", "nl"]);
/** Letters between the parts of a compound. */
const LINKS = ["", "s", "n", "en", "es", "e"];
/** A stem of four letters takes an ending of one, one of six and more takes three. German and Dutch take only these. */
const ENDING_MAX = 3;
const GERMANIC_ENDING = /^(?:e|en|er|es|em|n|s|t|te|ten|st|ern|in|nen|ung|je|jes|ing|ers)$/;
const STEM_MIN = 4;
/** Shorter parts of a compound stand in too many words by accident. */
const PART_MIN = 3;
/** With a part this long, the rest of a compound may be unknown. */
const TELLING_PART = 5;
/** The same of its last part alone. */
const TELLING_END = 6;
/** One word alone tells a language when it is this long. */
const TELLING_WORD = 7;
/** With so many English words, only stop words of a language make a text worth a look: this saves a millisecond. */
const PLAINLY_ENGLISH = 3;
/** The longest name: "fin de semana", "boże narodzenie". */
const NAME_WORDS = 4;
const WORDS_MAX = 400;

interface Glossary {
  /** English by stem. */
  stems: ReadonlyMap<string, string>;
  /** Stems of several words. */
  names: ReadonlyMap<string, string>;
  stopWords: ReadonlySet<string>;
}

/**
 * What a text in another language speaks of, in English words: `Weihnachtsbaum im Topf zur Miete` → `christmas tree, rent`.
 * @returns "" for a text in English, in a language that is not known here, or without a known word
 */
export function glossOf(text: string): string {
  const words = comparableWords(text).slice(0, WORDS_MAX);
  const others = words.filter((word) => !isEnglish(word));
  const english = words.length - others.length;
  let best = { score: english, told: [] as string[] };
  for (const language of LANGUAGES) {
    const { stopWords } = glossary(language);
    const stops = others.filter((word) => stopWords.has(word)).length;
    if (stops === 0 && english >= PLAINLY_ENGLISH) continue;
    const { found, telling } = read(words, language);
    const score = found.length + stops;
    if (found.length > 0 && score > best.score && (score > 1 || telling)) best = { score, told: found };
  }
  return [...new Set(best.told)].join(", ");
}

function read(words: readonly string[], language: Language) {
  const { names } = glossary(language);
  const found: string[] = [];
  let telling = false;
  for (let at = 0; at < words.length; at += 1) {
    const name = nameAt(words, at, names);
    if (name !== null) {
      found.push(name.english);
      telling = true;
      at += name.length - 1;
      continue;
    }
    const word = words[at] ?? "";
    const english = glossary(language).stopWords.has(word) ? null : englishOf(word, language);
    if (english === null) continue;
    found.push(...english);
    telling ||= word.length >= TELLING_WORD;
  }
  return { found, telling };
}

function nameAt(words: readonly string[], at: number, names: ReadonlyMap<string, string>) {
  for (let length = NAME_WORDS; length > 1; length -= 1) {
    const english = names.get(words.slice(at, at + length).join(" "));
    if (english !== undefined && at + length <= words.length) return { english, length };
  }
  return null;
}

/** A word as itself or with an ending, else as a compound. */
function englishOf(word: string, language: Language): string[] | null {
  const whole = stemOf(word, language);
  if (whole !== null) return [whole];
  return COMPOUNDING.has(language) ? compound(word, language) : null;
}

function stemOf(word: string, language: Language): string | null {
  const { stems } = glossary(language);
  const exact = stems.get(word);
  if (exact !== undefined) return exact;
  const least = Math.max(STEM_MIN, word.length - ENDING_MAX);
  for (let length = word.length - 1; length >= least; length -= 1) {
    const english = stems.get(word.slice(0, length));
    if (english === undefined || word.length - length > length - PART_MIN) continue;
    if (!COMPOUNDING.has(language) || GERMANIC_ENDING.test(word.slice(length))) return english;
  }
  return null;
}

/** The parts of a compound, the longest first part before all; one long part is enough. */
function compound(word: string, language: Language): string[] | null {
  const { stems } = glossary(language);
  let partly: string[] | null = null;
  for (let length = word.length - PART_MIN; length >= STEM_MIN; length -= 1) {
    const first = stems.get(word.slice(0, length));
    if (first === undefined) continue;
    for (const link of LINKS) {
      const rest = word.slice(length + link.length);
      if (!word.startsWith(link, length) || rest.length < PART_MIN) continue;
      const last = stemOf(rest, language) ?? compound(rest, language);
      if (last !== null) return [first, ...[last].flat()];
    }
    if (length >= TELLING_PART) partly ??= [first];
  }
  if (partly !== null) return partly;
  for (let start = STEM_MIN - 1; start <= word.length - TELLING_END; start += 1) {
    const last = stemOf(word.slice(start), language);
    if (last !== null) return [last];
  }
  return null;
}

let version: string | undefined;

/** Eight hexadecimal digits that change with the table. */
export function glossaryVersion(): string {
  version ??= createHash("sha256").update(ROWS.join("\n")).digest("hex").slice(0, 8);
  return version;
}

const glossaries = new Map<Language, Glossary>();

/** Made at the first use: some 600 stems each. */
function glossary(language: Language): Glossary {
  const known = glossaries.get(language);
  if (known !== undefined) return known;
  const stems = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [english = "", ...cells] of rows()) {
    for (const stem of (cells[LANGUAGES.indexOf(language)] ?? "").split(" ")) {
      const plain = plainSpelling(stem).replaceAll("-", " ").trim();
      const into = plain.includes(" ") ? names : stems;
      if (plain !== "" && !into.has(plain)) into.set(plain, english);
    }
  }
  const made = { stems, names, stopWords: stopWordsOf(language) };
  glossaries.set(language, made);
  return made;
}

let english: ReadonlySet<string> | undefined;

/** Words that speak for English: what says nothing, and the names of the things. */
function englishWords(): ReadonlySet<string> {
  english ??= new Set([...ENGLISH_STOP_WORDS, ...rows().flatMap(([names = ""]) => comparableWords(names))]);
  return english;
}

const isEnglish = (word: string) => englishWords().has(word) || englishWords().has(word.replace(/s$/, ""));

function rows(): string[][] {
  return ROWS.flatMap((part) => part.trim().split("\n")).map((row) => row.split(/ = |;/));
}
