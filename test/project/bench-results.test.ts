import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { inputRows, numbersIn, readInputs } from "../../bench/scaling/inputs.ts";
import { COMPUTED_PAGES, computed, INPUT_PAGE } from "../../bench/scaling/page.ts";
import { computedTables } from "../../bench/scaling/tables.ts";
import { STALE } from "../support/recorded/catalog.ts";

const root = resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(resolve(root, file), "utf8");
const results = textOf("bench/RESULTS.md");
const sections = new Map(
  results
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);

/** The rows of tables in a section, their cells with commas between, and its paragraphs, each in one line. */
const partsOf = (section: string): string[] =>
  section.split(/\n(?=\|)|\n\n/).map((part) =>
    part
      .replace(/^\| *| *\|$/g, "")
      .replace(/ *\| */g, ", ")
      .replace(/\s+/g, " "),
  );

describe("bench/RESULTS.md", () => {
  it("has sections only for files of bench/", () => {
    expect(sections.size).toBeGreaterThan(5);
    expect([...sections.keys()].filter((name) => !existsSync(resolve(root, `bench/${name}.ts`)))).toEqual([]);
  });

  it("names files that exist", () => {
    const files = [...results.matchAll(/\b(?:bench|test|docs|src)\/[\w./-]+\w/g)].map(([file]) => file);
    expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
  });
});

describe.each(COMPUTED_PAGES)("%s", (page) => {
  const measured = inputRows(textOf(page)).filter(({ section }) => section !== "");

  it.each(measured)("has $what from the section $section", ({ figures, section, place }) => {
    const parts = partsOf(sections.get(section) ?? "").filter((part) => part.includes(place));
    expect(parts, `no row or paragraph of ${section} has "${place}"`).not.toEqual([]);
    const found = parts.map((part) => new Set(numbersIn(part)));
    expect(found.some((numbers) => numbersIn(figures).every((figure) => numbers.has(figure)))).toBe(true);
  });

  it("computes its tables from them; otherwise run `npm run manual`", () => {
    expect(textOf(page), STALE).toBe(computed(textOf(page), textOf(INPUT_PAGE)));
  });
});

describe("computed tables", () => {
  it.each(Object.keys(computedTables(readInputs(textOf(INPUT_PAGE)))))("have a place for %s", (name) => {
    const pages = COMPUTED_PAGES.filter((page) => textOf(page).includes(`<!-- computed: ${name} -->\n|`));
    expect(pages).toHaveLength(1);
  });
});
