import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Finds a folder of the labelled data that `BENCH_DATA` names. */
export function dataFolder(name: string): string {
  const { BENCH_DATA: data } = process.env;
  if (data === undefined) throw new Error(`Set BENCH_DATA to the folder that holds ${name}/.`);
  return join(data, name);
}

/** Reads the rows of a file of JSON lines. */
export function readRows<T>(file: string): T[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}
