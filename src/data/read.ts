import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/**
 * Reads the rows of a data file beside this module. Each is one JSON value: of a `.jsonl` file one a line, of a `.json`
 * file the only one. A file that ends in `.br` is compressed.
 * @param name  file name with its ending; the build copies the files beside the compiled module
 */
export function readData<Row>(name: string): Row[] {
  const text = readText(name);
  if (!name.includes(".jsonl")) return [JSON.parse(text) as Row];
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

/** Reads a data file as text, which names its version. */
export const readText = (name: string): string => readBytes(name).toString();

/** Reads a data file as it is, or unpacked. */
export function readBytes(name: string): Buffer {
  const bytes = readFileSync(new URL(name, import.meta.url));
  return name.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
}
