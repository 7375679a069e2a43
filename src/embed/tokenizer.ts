import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";

/**
 * What turns a text into the ids of its tokens, the first `maxTokens` of them. A cut text ends without the closing mark:
 * the library that made the board's first vectors cut it so, and vectors of one text must stay alike.
 * @param folder  the model's own
 */
export async function openTokenizer(folder: string, maxTokens: number): Promise<(text: string) => number[]> {
  const read = async (file: string): Promise<object> =>
    JSON.parse(await readFile(join(folder, file), "utf8"));
  const tokenizer = new Tokenizer(await read("tokenizer.json"), await read("tokenizer_config.json"));
  return (text) => tokenizer.encode(text).ids.slice(0, maxTokens);
}
