import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type OpenIndex, type OpenOptions, openIndex } from "./open-index.ts";

export * from "./open-index.ts";

/**
 * Gives each test of the calling file an empty file for indexes.
 * @returns opens an index on a new connection to the test's file; closed after the test
 */
export function useIndexFile(): (options?: OpenOptions) => OpenIndex {
  let folder: string;
  const opened: OpenIndex[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "search-index-"));
  });
  afterEach(() => {
    for (const { database } of opened.splice(0)) database.close();
    rmSync(folder, { recursive: true });
  });
  return (options) => {
    const one = openIndex(folder, options);
    opened.push(one);
    return one;
  };
}
