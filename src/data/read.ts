import { readFileSync } from "node:fs";

/**
 * The rows of a data file beside this module. Each is one JSON value: of a `.jsonl` file one a line, of a `.json` file
 * the only one.
 * @param name  file name with its ending; the build copies the files beside the compiled module
 */
export function readData<Row>(name: string): Row[] {
  const text = readText(name);
  if (!name.endsWith(".jsonl")) return [JSON.parse(text) as Row];
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

/** The bytes of a data file as text, which name its version. */
export const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
