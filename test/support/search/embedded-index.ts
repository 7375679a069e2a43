import { afterEach } from "vitest";
import { useFolderForEach } from "../run/temporary.ts";
import { type OpenIndex, type OpenOptions, openIndex } from "./open-index.ts";

export * from "./open-index.ts";

/**
 * Gives each test of the calling file an empty file for indexes.
 * @returns opens an index on a new connection to the test's file; closed after the test
 */
export function useIndexFile(): (options?: OpenOptions) => OpenIndex {
  const folder = useFolderForEach();
  const opened: OpenIndex[] = [];
  afterEach(() => {
    for (const { database } of opened.splice(0)) database.close();
  });
  return (options) => {
    const one = openIndex(folder(), options);
    opened.push(one);
    return one;
  };
}
