import { LRUCache } from "lru-cache";
import { readData } from "../data/read.ts";
import { foldedPlace } from "./fold.ts";
import { beginsLongerName, type GazetteerPlace, placeNamed } from "./index.ts";

interface PlaceInText {
  place: GazetteerPlace;
  /** These words name it, with the preposition and the distance beside them. */
  text: string;
  /** The text may say how far around it. */
  radiusKm: number | null;
}

/** These words stand before a place, in the large European languages. */
const PREPOSITIONS: ReadonlySet<string> = new Set(
  "in near around at from within to bei nahe aus à en em près vicino cerca de van w na i".split(" "),
);
/** In other languages several words together say "near". */
const PHRASES =
  /(?<!\p{L})(?:in der nähe (?:von|des|der)|nahe (?:bei|an)|unweit von|rund um|in de buurt van|rondom|(?:tout )?près d[eu]|autour d[eu]|aux alentours de|cerca del?|alrededor de|vicino ad?|nei pressi di|intorno a|perto d[aeo]|ao redor de)\s+/giu;
const AMOUNT =
  "(?<![\\p{L}\\p{N}.,])(\\d{1,4}(?:[.,]\\d{1,2})?)\\s*-?\\s*(kms?|kilom[eè]t(?:er|re)[ns]?|(?:k|qu)il[oóô]metros?|chilometri|mi|miles?|meilen|millas?|milhas?|miglia|mijl|milles)";
const WITHIN =
  "within(?: about)?|inside|in a radius of|less than|up to|about|around|(?:im|in einem) umkreis von|umkreis(?: von)?|bis zu|dans un rayon de|à moins de|en un radio de|a menos de|num raio de|entro|(?:nel|in un) raggio di|binnen|in een straal van|inom|innen|inden for";
/**
 * A distance stands before a name ("within 10 miles of", "20 km um"), or behind it ("within 10 miles", "10 km radius", "+10
 * km").
 */
const DISTANCES = {
  before: new RegExp(
    `(?<!\\p{L})(?:(?:${WITHIN})\\s+)?${AMOUNT}\\s+(?:(?:radius|umkreis)\\s+)?(?:of|from|around|(?:rund )?um|von|autour d[eu]|de|van|rond(?:om)?|da|di|alrededor de|fra|från|om)\\s+(?<the>the\\s+)?`,
    "giu",
  ),
  behind: new RegExp(
    `^,?\\s+(?:(?:${WITHIN}|\\+|±)\\s*${AMOUNT}(?!\\p{L})(?:\\s+(?:radius|umkreis))?|\\(?${AMOUNT}\\s+(?:radius|umkreis|around)(?!\\p{L})\\)?)`,
    "iu",
  ),
};
const MILE_KM = 1.609344;

/** Gives kilometres with one decimal. */
function kmOf([, ...parts]: readonly (string | undefined)[]): number {
  const [amount = "0", unit = ""] = parts.filter((part) => part !== undefined);
  const km = Number(amount.replace(",", ".")) * (/^(?:mi|meil)/iu.test(unit) ? MILE_KM : 1);
  return Math.round(km * 10) / 10;
}

/** Behind a name, this shows that it is the name of a street. */
const STREET = /^\s+(?:street|road|avenue|lane|square|drive|terrace|bridge)\b/iu;
/** A name has at most this many words, as in "Newcastle upon Tyne, United Kingdom". */
const WORDS_MAX = 5;
/** A place that is meant has at least this many people, by the way it is written; see `populationFor`. */
const POPULATION = { marked: 1_000, lowerCase: 20_000, words: 20_000, capital: 100_000, bare: 500_000 };
/** This many words of a text are read. */
const TEXT_WORDS = 60;

/** Searches share most of their words, so what a word names is remembered, in some 200 bytes. */
const REMEMBERED = 5_000;
const placesByName = new LRUCache<string, { place: GazetteerPlace | null }>({
  max: REMEMBERED,
  memoMethod: (name) => ({ place: mayName(name) ? placeNamed(name) : null }),
});
const longerNames = new LRUCache<string, boolean>({
  max: REMEMBERED,
  memoMethod: (words) => beginsLongerName(words),
});

/** These words with other meanings are also names of places. */
const [WORDS] = readData<{ never: string[]; marked: string[] }>("place-words.json");
const NEVER: ReadonlySet<string> = new Set(WORDS?.never);
const MARKED: ReadonlySet<string> = new Set(WORDS?.marked);

/**
 * Finds the first place that a text speaks of: behind a preposition ("near Utrecht", "in Prenzlauer Berg"), or by a name
 * that hardly means anything else ("tool library Newcastle upon Tyne"). A name that may mean several places is not taken.
 */
export function placeInText(text: string): PlaceInText | null {
  const words = [...text.matchAll(/\S+/g)].slice(0, TEXT_WORDS);
  const isTitle = words.every(([word]) => !/^\p{Ll}/u.test(word));
  const distances = [...text.matchAll(DISTANCES.before)];
  // The article may belong to the name, as in "The Hague".
  const endsOf = ({ index, 0: said, groups }: RegExpExecArray) =>
    [0, groups?.["the"]?.length ?? 0].map((article) => index + said.length - article);
  const phrases = new Map(
    [...text.matchAll(PHRASES), ...distances].flatMap((found) =>
      endsOf(found).map((end) => [end, found.index]),
    ),
  );
  const radii = new Map(distances.flatMap((found) => endsOf(found).map((end) => [end, kmOf(found)])));
  let unmarked: PlaceInText | null = null;
  for (const [at, { index, 0: word }] of words.entries()) {
    const before = words[at - 1];
    const start = phrases.get(index) ?? (isPreposition(before, word) ? before?.index : undefined);
    const isMarked = start !== undefined;
    for (const name of namesFrom(text, words.slice(at, at + WORDS_MAX))) {
      const { place } = placesByName.memo(name);
      if (place === null || place.population < populationFor(name, isMarked, isTitle)) continue;
      if (STREET.test(text.slice(index + name.length))) continue;
      if (!isMeant(name, place, isMarked, isTitle)) continue;
      const behind = DISTANCES.behind.exec(text.slice(index + name.length));
      const said = behind === null ? name : name + behind[0];
      const radiusKm = radii.get(index) ?? (behind === null ? null : kmOf(behind));
      if (isMarked) return { place, text: text.slice(start, index) + said, radiusKm };
      unmarked ??= { place, text: said, radiusKm };
      break;
    }
  }
  return unmarked;
}

/** Tells whether the place is meant, by a name that may have another meaning or has no capital. */
function isMeant(name: string, place: GazetteerPlace, isMarked: boolean, isTitle: boolean): boolean {
  const folded = foldedPlace(name);
  const isLower = /^\p{Ll}/u.test(name);
  if (MARKED.has(folded)) return isMarked && !isTitle && !isLower;
  // Without a preposition or a capital, a short word means a place only by its own name: "rum" is Rome in Danish.
  return !isLower || isMarked || folded.length > SHORT_NAME || foldedPlace(place.name) === folded;
}
const SHORT_NAME = 4;

/** Prepositions of one letter, and "to", stand before a place only where it has a capital: "i morgen", "to come". */
const isPreposition = (before: RegExpExecArray | undefined, word: string) =>
  before !== undefined &&
  PREPOSITIONS.has(before[0].toLowerCase()) &&
  !(/^(?:.|to)$/iu.test(before[0]) && /^\p{Ll}/u.test(word));

/** Lists the names that may begin with the first of these words, the longest first. */
function namesFrom(text: string, [first, ...more]: readonly RegExpExecArray[]): string[] {
  if (first === undefined) return [];
  const upTo = (last: RegExpExecArray) =>
    text.slice(first.index, last.index + last[0].length).replace(/[\s.,;:!?–—-]+$/, "");
  const names = [upTo(first)];
  for (const word of more) {
    const [name = ""] = names;
    // Behind a comma stands a region, whose names the table of places does not have.
    if (!text.slice(first.index, word.index).includes(",") && !longerNames.memo(name)) break;
    names.unshift(upTo(word));
  }
  return names;
}

function mayName(name: string): boolean {
  const folded = foldedPlace(name);
  return folded.length > 2 && !/["\d]/.test(name) && !name.startsWith("-") && !NEVER.has(folded);
}

/** A place that is meant by this name has at least this population. */
function populationFor(name: string, isMarked: boolean, isTitle: boolean): number {
  const isCapital = !/^\p{Ll}/u.test(name);
  const isLong = name.includes(" ");
  if (isMarked) return isCapital ? POPULATION.marked : POPULATION.lowerCase;
  if (isLong) return POPULATION.words;
  return isCapital && !isTitle ? POPULATION.capital : POPULATION.bare;
}
