import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files of a folder, or of some, in lower case where they are letters. */
export function bytesOf(folder: string, isMeant: (name: string) => boolean = () => true): string {
  const names = readdirSync(folder).filter(isMeant);
  return names.map((name) => readFileSync(join(folder, name), "latin1").toLowerCase()).join("\n");
}

export const bytesOfVector = (vector: Int8Array) =>
  Buffer.from(vector.buffer).toString("latin1").toLowerCase();

/** Which of some words, and whether a vector, can still be read in the files of a folder. */
export function leftInFiles(folder: string, words: readonly string[], vector: Int8Array): string[] {
  const bytes = bytesOf(folder);
  const left = words.filter((word) => bytes.includes(word));
  return bytes.includes(bytesOfVector(vector)) ? [...left, "vector"] : left;
}
