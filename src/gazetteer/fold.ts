/** The form in which names of places are compared: no case, accents, dots or hyphens; "St. Ives" is "saint ives". */
export function foldedPlace(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS.get(letter) ?? letter)
    .replace(/['’ʻ`.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^(?:st|ft|mt) /, (word) => `${SHORT.get(word.trim()) ?? word} `);
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
  ["st", "saint"],
  ["ft", "fort"],
  ["mt", "mount"],
]);
