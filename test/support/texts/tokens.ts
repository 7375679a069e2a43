import { getEncoding } from "js-tiktoken";

let encoding: ReturnType<typeof getEncoding> | undefined;

/** Tokens of a text. The table of all tokens is built once: that takes a second. */
export function tokensOf(text: string): number {
  encoding ??= getEncoding("o200k_base");
  return encoding.encode(text).length;
}
