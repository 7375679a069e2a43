import { createHash } from "node:crypto";
import { readData, readText } from "../../data/read.ts";
import { ENGLISH_STOP_WORDS, stopWordsOf } from "./stop-words.ts";
import { comparableWords, plainSpelling, WORD_LETTERS_MAX } from "./tokens.ts";

/**
 * Has the words of notices in seven languages, for a model that reads English. A row is one thing: its name in English,
 * and its stems in each language with blanks between them; a hyphen stands for a blank within a name.
 */
const FILE = "glossary.jsonl";
const LANGUAGES = ["de", "fr", "es", "it", "nl", "pl", "pt"] as const;
type Language = (typeof LANGUAGES)[number];
type Row = { en: string } & Partial<Record<Language, string>>;

/** These languages write compounds as one word. */
const COMPOUNDING: ReadonlySet<Language> = new Set(["de", "nl"]);
/** These letters stand between the parts of a compound. */
const LINKS = ["", "s", "n", "en", "es", "e"];
/** An ending has at most three letters, and leaves a stem of at least three letters more. German and Dutch have only these. */
const ENDING_MAX = 3;
const GERMANIC_ENDING = /^(?:e|en|er|es|em|n|s|t|te|ten|st|ern|in|nen|ung|je|jes|ing|ers)$/;
const STEM_MIN = 4;
/** Shorter parts of a compound stand in too many words by accident. */
const PART_MIN = 3;
/** A first part this long tells the compound's meaning although the rest is unknown; so does a last part of six letters. */
const FIRST_PART_ALONE = 5;
const LAST_PART_ALONE = 6;
/** One word alone tells a language when it is this long. */
const WORD_ALONE = 7;
/** A text with this many English words is read in another language only if it holds a stop word of that language. */
const ENGLISH_ENOUGH = 3;
/** No name is longer: "fin de semana", "boże narodzenie". */
const NAME_WORDS = 4;
/** The beginning of a longer text says what it is about. */
const WORDS_MAX = 400;

interface Glossary {
  language: Language;
  /** Gives English by stem. */
  stems: ReadonlyMap<string, string>;
  /** Gives English by names of several words. */
  names: ReadonlyMap<string, string>;
  stopWords: ReadonlySet<string>;
}

/**
 * Says in English words what a text in another language speaks of: `Weihnachtsbaum im Topf zur Miete` → `christmas tree,
 * rent`. Words above 40 letters are not looked at: time grows with the cube of a word's length.
 * @returns "" for a text in English, in a language without a glossary, or without a known word
 */
export function glossOf(text: string): string {
  const words = comparableWords(text)
    .filter((word) => word.length <= WORD_LETTERS_MAX)
    .slice(0, WORDS_MAX);
  const others = words.filter((word) => !isEnglish(word));
  const english = words.length - others.length;
  let best = { score: english, found: [] as string[] };
  for (const glossary of all().glossaries) {
    const stops = others.filter((word) => glossary.stopWords.has(word)).length;
    if (stops === 0 && english >= ENGLISH_ENOUGH) continue;
    const { found, isSure } = read(words, glossary);
    const score = found.length + stops;
    if (found.length > 0 && score > best.score && (score > 1 || isSure)) best = { score, found };
  }
  return [...new Set(best.found)].join(", ");
}

export const isGlossed = (word: string): boolean =>
  comparableWords(word).every((part) => all().glossaries.some(({ stems }) => stems.has(part)));

function read(words: readonly string[], glossary: Glossary): { found: string[]; isSure: boolean } {
  const found: string[] = [];
  let isSure = false;
  for (let at = 0; at < words.length; at += 1) {
    const name = nameAt(words, at, glossary.names);
    if (name !== null) {
      found.push(name.english);
      isSure = true;
      at += name.length - 1;
      continue;
    }
    const word = words[at] ?? "";
    const english = glossary.stopWords.has(word) ? [] : englishOf(word, glossary);
    found.push(...english);
    isSure ||= english.length > 0 && word.length >= WORD_ALONE;
  }
  return { found, isSure };
}

function nameAt(words: readonly string[], at: number, names: Glossary["names"]) {
  for (let length = Math.min(NAME_WORDS, words.length - at); length > 1; length -= 1) {
    const english = names.get(words.slice(at, at + length).join(" "));
    if (english !== undefined) return { english, length };
  }
  return null;
}

/** Reads a word as itself or with an ending, else as a compound; empty when it is unknown. */
function englishOf(word: string, glossary: Glossary): readonly string[] {
  const whole = stemOf(word, glossary);
  if (whole !== null) return [whole];
  return COMPOUNDING.has(glossary.language) ? compound(word, glossary) : [];
}

function stemOf(word: string, { stems, language }: Glossary): string | null {
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

/** Gives the parts of a compound, the longest first part before all; one long part is enough. */
function compound(word: string, glossary: Glossary): readonly string[] {
  let firstAlone: string[] = [];
  for (let length = word.length - PART_MIN; length >= STEM_MIN; length -= 1) {
    const first = glossary.stems.get(word.slice(0, length));
    if (first === undefined) continue;
    for (const link of LINKS) {
      const rest = word.slice(length + link.length);
      if (!word.startsWith(link, length) || rest.length < PART_MIN) continue;
      const last = englishOf(rest, glossary);
      if (last.length > 0) return [first, ...last];
    }
    if (length >= FIRST_PART_ALONE && firstAlone.length === 0) firstAlone = [first];
  }
  if (firstAlone.length > 0) return firstAlone;
  for (let start = STEM_MIN - 1; start <= word.length - LAST_PART_ALONE; start += 1) {
    const last = stemOf(word.slice(start), glossary);
    if (last !== null) return [last];
  }
  return [];
}

/** Gives eight hexadecimal digits that change with the table. */
export const glossaryVersion = (): string => all().version;

let made: ReturnType<typeof readAll> | undefined;

/** The glossary is read at the first use: boards whose model reads other languages need none of it. */
const all = () => {
  made ??= readAll();
  return made;
};

function readAll() {
  const rows = readData<Row>(FILE);
  return {
    version: createHash("sha256").update(readText(FILE)).digest("hex").slice(0, 8),
    english: new Set([...ENGLISH_STOP_WORDS, ...rows.flatMap(({ en }) => comparableWords(en))]),
    glossaries: LANGUAGES.map((language) => glossaryOf(rows, language)),
  };
}

function glossaryOf(rows: readonly Row[], language: Language): Glossary {
  const stems = new Map<string, string>();
  const names = new Map<string, string>();
  for (const row of rows) {
    for (const stem of row[language]?.split(" ") ?? []) {
      const plain = plainSpelling(stem).replaceAll("-", " ");
      const into = plain.includes(" ") ? names : stems;
      if (!into.has(plain)) into.set(plain, row.en);
    }
  }
  return { language, stems, names, stopWords: stopWordsOf(language) };
}

/** Tells whether a word speaks for English: a stop word, or an English name of a row. */
const isEnglish = (word: string) => all().english.has(word) || all().english.has(word.replace(/s$/, ""));
