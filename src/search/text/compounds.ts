import { stemmer } from "stemmer";
import { readData } from "../../data/read.ts";
import { plainSpelling } from "./tokens.ts";

/** A word that is sought inside compounds has this many letters, and so does what follows its like at the beginning. */
const PART_MIN = 4;
/** A text that is surely of these languages has shorter words at the end of compounds, behind `PART_MIN` letters. */
const HEAD_MIN = 3;
/** At least this many letters stand before a part: `Ess` of Esstisch. */
const BEFORE_MIN = 3;
const WORD_MAX = 40;
/** Marks a part in the index, where a word of the text has none. Its category belongs to words. */
const MARK = "\uE000";
/** A part of a compound counts this much beside a whole word. */
export const PART_WEIGHT = 0.5;

/** These languages write compounds as one word; they are named as the stop words have them. */
const COMPOUNDING = new Set(["de", "nl", "sv da no"]);
const [BY_LANGUAGE = {}] = readData<Readonly<Record<string, string>>>("stop-words.json");
/** Tells the languages of each stop word, by their places among these: true for one that writes compounds as one word. */
const LANGUAGES = Object.keys(BY_LANGUAGE).map((language) => COMPOUNDING.has(language));
const LANGUAGES_OF = new Map<string, number[]>();
for (const [at, words] of Object.values(BY_LANGUAGE).entries()) {
  for (const word of new Set(words.split(" ").map(plainSpelling)))
    LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), at]);
}

/** Words of these languages begin so. */
const ONSET =
  /^(?:schw|sch[lmnr]?|s[pkt][rl]?j?|pf[lr]?|[bfgkpc][lr]|[dtvw]r|kn|gn|zw|th|ch|ph|qu|[hkltb]j|s[nmlvw]|[tdkh]v|vl|[b-df-hj-np-tv-z])?[aeiouyåäöøæ]/;
/** These beginnings change a verb, and are no words: Verkauf is a kind of Kauf no more than Nachtisch is a table. */
const NO_WORD =
  /^(?:ver|ent|emp|zer|miss?|dis|her|hin|vor|aus|auf|ein|nach|uber|unter|durch|wieder|ont|aan|uit|voor|door|over|onder|for|fra|til|till|med|upp|inn)$/;
/** These endings are no words either: Wanderung has no Wand. */
const ENDING =
  /^(?:er|[eins]{0,2})(?:ung|lich|schaft|heit|keit|igkeit|isch|chen|lein|ier|haft|ende|tion|ation|erin|innen|eren|erte|elijk|heid|ingen|ning|ighet|het)|^[a-z]{0,2}ung(?:en|s)?$/;
/** Adjectives end so too (praktisch, romantisch, elastisch), and countries (Holland). */
const NO_HEAD =
  /(?:is|[aeiou]k|[^p]p|[aeiou]|(?<!gl)as|us|an|authen|iden)tisch$|^(?:hol|eng|fin|ire?|is|ice|thai|deutsch|tysk|duits|griechen|russ|ryss|est|lett|let|po|scot|schott|skot|switzer|green|gron)land$/;
/** Kinderbücher have a Buch. */
const PLURAL = /(?<=^.{4,})e[nrs]?$/;
/**
 * Matches a short end that is a word: two words meet in consonants (Lauf|rad, not Kame|rad), and no ending stands so
 * (les|bar, Direk|tor).
 */
const SHORT_HEAD =
  /[^aeiouyåäöøæ](?!bar|los|sam|.e[lmnrst])[^aeiouyåäöøæ][aeiouyåäöøæ][^aeiouyåäöøæ]$(?<!kt[ou]r)/;

/**
 * Gives the parts of the compounds in a text, as stems that it has not as words: Esstisch has a Tisch, Winterreifen have
 * Winter and Reifen.
 */
export function compoundParts(words: readonly string[]): Set<string> {
  const parts = new Set<string>();
  const certainty = compounding(words);
  if (certainty < 0) return parts;
  for (const word of new Set(words)) {
    if (word.length < PART_MIN + BEFORE_MIN || word.length > WORD_MAX || !/^\p{Script=Latin}+$/u.test(word))
      continue;
    for (let at = BEFORE_MIN; at <= word.length - PART_MIN; at += 1) {
      const [before, after] = [word.slice(0, at), word.slice(at)];
      if (!ONSET.test(after) || !/[aeiouyåäöøæ]/.test(before)) continue;
      if (!NO_WORD.test(before) && !((after === "tisch" || after === "land") && NO_HEAD.test(word))) {
        parts.add(stemmer(after));
        if (PLURAL.test(after)) parts.add(stemmer(after.replace(PLURAL, "")));
      }
      if (before.length >= PART_MIN && !ENDING.test(after)) parts.add(stemmer(before));
    }
    if (certainty > 0 && word.length >= PART_MIN + HEAD_MIN && SHORT_HEAD.test(word))
      parts.add(stemmer(word.slice(-HEAD_MIN)));
  }
  for (const word of words) parts.delete(stemmer(word));
  return parts;
}

/** Names a part as the index does. */
export const partNamed = (stem: string): string => MARK + stem;

/** Names a word that is sought inside compounds as the index does; null for one that is too short. */
export const partTerm = (word: string): string | null =>
  word.length < HEAD_MIN || !/^\p{Script=Latin}+$/u.test(word) ? null : partNamed(stemmer(word));

/** Tells how many more stop words of these languages than of others a text has; one without any may be a title. */
function compounding(words: readonly string[]): number {
  const counts = LANGUAGES.map(() => 0);
  for (const word of words) for (const at of LANGUAGES_OF.get(word) ?? []) counts[at] = (counts[at] ?? 0) + 1;
  const most = (compounding: boolean) =>
    Math.max(0, ...counts.filter((_, at) => LANGUAGES[at] === compounding));
  return most(true) - most(false);
}
