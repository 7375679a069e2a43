import { expect, it } from "vitest";
import { isForSearchEngines } from "../../../src/domain/posts/search-engines.ts";

const DAY_MS = 86_400_000;

it.each<[string, { syndicated?: boolean; age: number; isVerified?: boolean }, boolean]>([
  ["its source's, where it is relayed", { syndicated: true, age: 9 * DAY_MS, isVerified: true }, false],
  ["for search engines at once, of a verified publisher", { age: 0, isVerified: true }, true],
  ["not for search engines within a day, of another", { age: DAY_MS - 1 }, false],
  ["for search engines after a day, of another", { age: DAY_MS }, true],
])("a post is %s", (_what, { syndicated = false, age, isVerified = false }, isOpen) => {
  expect(isForSearchEngines({ syndicated, createdAt: 5 }, isVerified, 5 + age)).toBe(isOpen);
});
