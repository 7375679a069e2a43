/**
 * A word is a run of letters, digits and marks, in the index and in queries alike. Both pass through `indexable`,
 * which removes differences that do not count, and then through the same tokenizer, which cuts off English endings (in
 * FTS5: `porter unicode61 categories 'L* N* M* Co'`; it finds no case or diacritics left to fold). Marks belong to
 * words: otherwise vowel signs would tear Hindi words apart.
 */

/** These signs do not make a different word: invisible ones, Arabic vowels and stretching, Hebrew points. */
const IGNORED = /\p{Cf}|\u0640|\u0670|[\u0591-\u05C7]|[\u064B-\u065F]|[\uFE00-\uFE0F]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL would end the text for SQLite
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g;

/** Matches one letter, with its marks, of a script that puts no blanks between words. */
const UNSPACED =
  /(?=\p{L})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*/gu;

const UNSPACED_RUN = new RegExp(`(?:${UNSPACED.source})+`, "gu");

/** Rules skip longer runs of letters: the time of some grows with the cube of the length. */
export const WORD_LETTERS_MAX = 40;

/** Matches a word in the spelling of `indexable`. */
export const LETTERS = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/**
 * Marks that a correct spelling may leave out, at least in capitals or by hand: all of Latin and Greek, stress and the
 * dots of ё in Cyrillic. й and ї are letters of their own.
 */
const FREE_MARKS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036F]+|(?<=[аеиоуыэюяіє])[\u0300\u0301]|(?<=е)\u0308/gu;

/** Unicode does not decompose these letters; people write them so where a keyboard lacks them. */
export const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŋ: "n",
  ŧ: "t",
  ı: "i",
  ς: "σ",
  أ: "ا",
  إ: "ا",
  آ: "ا",
};
const RESPELLED = new RegExp(`[${Object.keys(OTHER_SPELLINGS).join("")}]`, "g");

/** Signs tell these names apart, and the index has a word for each. */
const SIGNED: Readonly<Record<string, string>> = {
  "c++": "cplusplus",
  "c#": "csharp",
  "f#": "fsharp",
  ".net": "dotnet",
};
const SIGNED_NAME = /(?<![\p{L}\p{N}])(?:c\+\+|[cf]#|\.net)(?![\p{L}\p{N}])/gu;
/** U.S.A., O'Brien and 12,500 are one word each, as others write it, and the same word with and without its marks. */
const DOTTED = /(?<![\p{L}\p{N}\p{M}])\p{L}\p{M}*(?:\.\p{L}\p{M}*)+(?![\p{L}\p{N}\p{M}])\.?/gu;
const O_APOSTROPHE = /(?<![\p{L}\p{N}\p{M}])([oóòôöõø])['\u2019](?=(?:\p{L}\p{M}*){3})/gu;
const THOUSANDS = /(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))/gu;

/** A keyboard without these letters spells them out: Mueller, Soeren, Aarhus. */
const SPELT_OUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };
/** Matches check-in, e-mail. Longer chains are no words that anybody writes as one. */
const HYPHENATED =
  /(?<![\p{L}\p{N}-])(\p{Script=Latin}+)[-\u2010\u2011](\p{Script=Latin}+)(?![\p{L}\p{N}-])/gu;

/** Matches 12.500, 2'450, 1,50,000: thousands (or lakhs), with one sign between all of them. */
const GROUPED =
  /(?<![\p{N}.,'\u2019])[1-9]\p{N}{0,2}(?:([.'\u2019\u00A0\u2009\u202F])\p{N}{3}(?:\1\p{N}{3})*|(?:,\p{N}{2})+,\p{N}{3})(?!\p{N}|[.'\u2019]\p{N})/gu;
const CURRENCY =
  "[\\p{Sc}]|eur|usd|gbp|chf|fr|sek|nok|dkk|kr|pln|zł|czk|kč|huf|ft|ron|lei|inr|rs|brl|nzd|aud|cad";
/** Matches 1 875 €: with plain blanks, which stand between other numbers too, only beside a currency. */
const SPACED = new RegExp(
  `(?<=(?:${CURRENCY})\\.? ?)[1-9]\\p{N}{0,2}(?: \\p{N}{3})+(?!\\p{N})|(?<!\\p{N} ?)[1-9]\\p{N}{0,2}(?: \\p{N}{3})+(?=(?:,\\p{N}\\p{N})? ?(?:${CURRENCY})(?!\\p{L}))`,
  "giu",
);

/** Writes the words of a text in lower case as others do: `check-in for Müller` → `checkin for mueller`. */
export function respelt(text: string): string {
  if (!/[-\u0080-\uFFFF]|\d[.,' ]\d/.test(text)) return text;
  const joined = (number: string) => number.replace(/\P{N}/gu, "");
  return text
    .replace(GROUPED, joined)
    .replace(SPACED, joined)
    .normalize("NFC")
    .toLowerCase()
    .replace(HYPHENATED, "$1$2")
    .replace(/[äöüøå]/g, (letter) => SPELT_OUT[letter] ?? letter);
}

/**
 * Gives the words of a text in their other spelling, in the form of the index. An index has them beside those of the text, so that
 * `mueller` finds Müller and `checkin` a check-in; the other way round, queries ask for both spellings.
 * @param words  its own, where they are known
 */
export function otherSpellings(text: string, words?: readonly string[]): string[] {
  const others = respelt(text);
  if (others === text) return [];
  const own = new Set(words ?? comparableWords(text));
  return comparableWords(others).filter((word) => !own.has(word));
}

/** Writes in one word what people write in several ways, in lower case: `C#, O'Brien, U.S.A.` → `csharp, obrien, usa`. */
const asOneWord = (lower: string): string =>
  joinedNumbers(lower)
    .replace(SIGNED_NAME, (name) => SIGNED[name] ?? name)
    .replace(DOTTED, (letters) => letters.replaceAll(".", ""))
    .replace(O_APOSTROPHE, "$1");

/** Drops the commas between the thousands of numbers. */
export const joinedNumbers = (text: string): string => text.replace(THOUSANDS, "");

/** Writes a word of the index as people do: `csharp` is c#. */
export const withSigns = (word: string): string =>
  Object.entries(SIGNED).find(([, plain]) => plain === word)?.[0] ?? word;

/**
 * Writes text as the tokenizer gets it: lower-case, without accents, compatibility forms unified (full-width letters,
 * half-width katakana), and each character `東京 Tower` → ` 東  京  tower`: the phrase of 東 and 京 finds 東京 inside any longer
 * run.
 */
export function indexable(text: string): string {
  // The rest would make the same of plain English, in three times the time.
  if (!/\P{ASCII}/u.test(text)) return asOneWord(text.toLowerCase()).replace(CONTROLS, " ");
  // As in `wordsOf`, this comes before letters are respelled: whether a word is one is decided once.
  return plainSpelling(asOneWord(plainOf(text).toLowerCase())).replace(UNSPACED, " $& ");
}

/** Writes text in lower case, without free marks, its special letters respelled with plain ones. */
export function plainSpelling(text: string): string {
  const lower = text.toLowerCase();
  if (!/\P{ASCII}/u.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(FREE_MARKS, "")
    .normalize("NFC")
    .replace(RESPELLED, (letter) => OTHER_SPELLINGS[letter] ?? letter);
}

/** Gives the words of a text as the index compares them, except for their endings. */
export function comparableWords(text: string): string[] {
  return indexable(text).match(LETTERS) ?? [];
}

/** Gives the words of a text, lower-cased, in order, with repeats. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const plain = asOneWord(plainOf(text).toLowerCase());
  let end = 0;
  for (const { index, 0: run } of plain.matchAll(UNSPACED_RUN)) {
    words.push(...(plain.slice(end, index).match(LETTERS) ?? []));
    for (const { segment } of segmenter().segment(run)) words.push(segment);
    end = index + run.length;
  }
  words.push(...(plain.slice(end).match(LETTERS) ?? []));
  return words;
}

function plainOf(text: string): string {
  return text.normalize("NFKC").replace(IGNORED, "").replace(CONTROLS, " ");
}

let segmenterOnce: Intl.Segmenter | undefined;

/**
 * The segmenter is made at the first use: loading the dictionaries takes some milliseconds, and most boards never need
 * them.
 */
function segmenter(): Intl.Segmenter {
  segmenterOnce ??= new Intl.Segmenter("und", { granularity: "word" });
  return segmenterOnce;
}
