/** "instruction" and "previous" in all 25 Caesar ciphers, rot13 among them. */
export const CIPHERED = new RegExp(
  `\\b(?:${Array.from({ length: 25 }, (_, index) => `${shifted("instruction", index + 1)}|${shifted("previous", index + 1)}`).join("|")})`,
  "i",
);

function shifted(word: string, by: number): string {
  return word.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)),
  );
}
