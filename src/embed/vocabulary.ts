/** What is read of a `tokenizer.json`. */
interface TokenizerFile {
  model: { vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[] };
}

/** What tokenizers put before the beginning of a word: SentencePiece and byte-level BPE. */
const WORD_START = /^[\u2581\u0120]/;

/**
 * The whole words of a tokenizer's vocabulary, in lower case, without accents. WordPiece marks what continues a word
 * (`##ing`), the others what begins one.
 */
export function wholeWords(tokenizerJson: string): string[] {
  const { vocab } = (JSON.parse(tokenizerJson) as TokenizerFile).model;
  const tokens = Array.isArray(vocab) ? vocab.map(([token]) => token as string) : Object.keys(vocab);
  const marksBeginnings = tokens.some((token) => WORD_START.test(token));
  const words = tokens
    .filter((token) => (marksBeginnings ? WORD_START.test(token) : !token.startsWith("##")))
    .map((token) => plain(token.replace(WORD_START, "")));
  return [...new Set(words.filter((word) => /^\p{L}{2,}$/u.test(word)))];
}

const plain = (word: string) => word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
