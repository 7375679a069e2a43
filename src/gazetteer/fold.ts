/**
 * The form in which names of places are compared, without case, accents, dots and hyphens: "St. Ives" and "Sankt Ives" are both
 * "saint ives".
 */
export function foldedPlace(name: string): string {
  // Most names are plain. For others it takes ten times as long, and a search folds dozens of names for each of its words.
  return PLAIN.test(name) ? name.toLowerCase() : foldedLetters(name);
}

/** Matches words of ASCII letters and digits with single blanks between them. The first one is no short form. */
const PLAIN = /^(?!(?:sankt|st|ste|ft|mt) )[a-z0-9]+(?: [a-z0-9]+)*$/i;

function foldedLetters(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS.get(letter) ?? letter)
    .replace(/['’ʻ`.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^(?:sankt|st|ste|ft|mt) /, (word) => `${SHORT.get(word.trim()) ?? word} `);
}

const LETTERS = new Map([
  ["ł", "l"],
  ["ø", "o"],
  ["đ", "d"],
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ı", "i"],
]);

const SHORT = new Map([
  ["sankt", "saint"],
  ["st", "saint"],
  ["ste", "sainte"],
  ["ft", "fort"],
  ["mt", "mount"],
]);
