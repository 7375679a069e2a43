import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(resolve(root, file), "utf8");
const results = textOf("bench/RESULTS.md");
const sections = new Map(
  results
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);

describe("bench/RESULTS.md", () => {
  it("has sections only for files of bench/", () => {
    expect(sections.size).toBeGreaterThan(2);
    expect([...sections.keys()].filter((name) => !existsSync(resolve(root, `bench/${name}.ts`)))).toEqual([]);
  });

  it("names files that exist", () => {
    const files = [...results.matchAll(/\b(?:bench|test|docs|src)\/[\w./-]+\w/g)].map(([file]) => file);
    expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
  });
});
