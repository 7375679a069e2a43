import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";

/**
 * Opens a model's tokenizer: `idsOf` gives the first `maxTokens` tokens of a text, `words` the words that the model knows.
 * @param folder  the folder of the model itself
 * @param closes  whether a cut text keeps its end token. Those of the default model do not: the library that made the first
 *   vectors of boards cut texts so, and a text must keep its vector
 */
export async function openTokenizer(
  folder: string,
  maxTokens: number,
  closes: boolean,
): Promise<{ idsOf: (text: string) => number[]; words: string[] }> {
  const read = async (file: string) => JSON.parse(await readFile(join(folder, file), "utf8"));
  const file = await read("tokenizer.json");
  const tokenizer = new Tokenizer(file, await read("tokenizer_config.json"));
  const idsOf = (text: string) => {
    const { ids } = tokenizer.encode(text);
    if (ids.length <= maxTokens) return ids;
    return closes ? [...ids.slice(0, maxTokens - 1), ...ids.slice(-1)] : ids.slice(0, maxTokens);
  };
  return { idsOf, words: wholeWords(file.model.vocab) };
}

/** Tokenizers put this sign before a word: that of SentencePiece, and that of byte-level BPE. */
const WORD_START = /^[\u2581\u0120]/;

/**
 * Gives the whole words of a tokenizer's vocabulary, in lower case, without accents. WordPiece marks what continues a word
 * (`##ing`), the others what begins one.
 */
function wholeWords(
  vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[],
): string[] {
  const tokens = Array.isArray(vocab) ? vocab.map(([token]) => token as string) : Object.keys(vocab);
  const marksBeginnings = tokens.some((token) => WORD_START.test(token));
  const words = tokens
    .filter((token) => (marksBeginnings ? WORD_START.test(token) : !token.startsWith("##")))
    .map((token) => plain(token.replace(WORD_START, "")));
  return [...new Set(words.filter((word) => /^\p{L}{2,}$/u.test(word)))];
}

const plain = (word: string) => word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
