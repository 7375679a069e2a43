import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";

/**
 * What turns a text into the ids of its tokens, the first `maxTokens` of them.
 * @param folder  the model's own
 * @param closes  whether a cut text keeps its closing mark. Those of the default model do not: the library that made the
 *   board's first vectors cut them so, and vectors of one text must stay alike
 */
export async function openTokenizer(
  folder: string,
  maxTokens: number,
  closes: boolean,
): Promise<(text: string) => number[]> {
  const read = async (file: string): Promise<object> =>
    JSON.parse(await readFile(join(folder, file), "utf8"));
  const tokenizer = new Tokenizer(await read("tokenizer.json"), await read("tokenizer_config.json"));
  return (text) => {
    const { ids } = tokenizer.encode(text);
    if (ids.length <= maxTokens) return ids;
    return closes ? [...ids.slice(0, maxTokens - 1), ...ids.slice(-1)] : ids.slice(0, maxTokens);
  };
}
