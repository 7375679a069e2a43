import { withoutLigatures, withoutPiles } from "../../schema/text.ts";

/**
 * Gives a text as a model reads it, however it was dressed up: hidden tag characters made visible, invisible ones removed,
 * compatibility forms (fullwidth, mathematical letters), accents and case folded, look-alike letters of other alphabets and
 * digits for letters undone, s p a c e d letters joined, blanks made single.
 *
 * Only for comparing with words folded the same way; the result is not for showing.
 */
export function folded(text: string): string {
  const seen = text
    .replace(TAGS, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0xe0020) - 0xe0000))
    .replace(INVISIBLE, "")
    // NFKD makes a blank of an acute accent.
    .replace(/['’‘`´]/g, "'");
  return withoutPiles(withoutLigatures(seen))
    .normalize("NFKD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase()
    .replace(SINGLE_LETTERS, (char) => SINGLES.get(char) ?? char)
    .normalize("NFC")
    .replace(WORDS, unmasked)
    .replace(SPACED_LETTERS, (run) => run.replace(/[ .\-_*]/g, ""))
    .replace(/[*_~-]+/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/([<[{(]) /g, "$1");
}

const TAGS = /[\u{E0020}-\u{E007E}]/gu;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: it looks for lone joiners and selectors
const INVISIBLE = /[\p{Cf}\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u034F\u115F\u1160\u3164\uFFA0\u2800]/gu;

/** No normalization form takes these letters apart. */
const SINGLES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ đ: "d", ł: "l", ø: "o", ı: "i", ß: "ss", æ: "ae", œ: "oe" }),
  ...pairsOf("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
]);
const SINGLE_LETTERS = new RegExp(`[${[...SINGLES.keys()].join("")}]`, "gu");

/** These words may hold strangers: letters of three alphabets, and digits and signs used for letters. */
const WORDS = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d@$]+/gu;

/** These Cyrillic and Greek letters look like Latin ones, and these digits and signs are used for letters. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...pairsOf("авсԁеґһіјкӏмпорԛгѕтуѵԝх", "abcderhijklmnopqrstyvwx"),
  ...pairsOf("αβεηικνορτυχγ", "abenikvoptuxy"),
  ...pairsOf("0134578@$", "oieastbas"),
]);

function unmasked(word: string): string {
  if (!/[a-z]/.test(word) || /^[a-z]+$/.test(word)) return word;
  // Digits in front or behind are numbers (gpt4, 2nd) unless the word starts with one and goes on with letters.
  return word.replace(/[^a-z]/g, (char) => LOOKALIKES.get(char) ?? char);
}

const SPACED_LETTERS = /(?<![\p{L}\p{N}])(?:[a-z][ .\-_*]){4,}[a-z](?![\p{L}\p{N}])/gu;

/** Pairs the letters of one text with those at the same places of another; each is one UTF-16 unit. */
function pairsOf(from: string, to: string): [string, string][] {
  return Array.from(from, (letter, at) => [letter, to.charAt(at)]);
}
