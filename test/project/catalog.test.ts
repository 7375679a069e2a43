import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CATALOG_FILE, catalogText, recordedCatalog, STALE } from "../../scripts/recorded/catalog.ts";
import { loadCatalog } from "../../src/board/catalog.ts";

const catalog = await loadCatalog();

describe("the catalog", () => {
  it("is what test/recorded/catalog.json holds; otherwise run `npm run manual`", () => {
    expect(readFileSync(CATALOG_FILE, "utf8"), STALE).toBe(catalogText(catalog));
  });

  it("marks exactly the reading tools as read-only, for hosts that ask before any other", () => {
    for (const { name, effect, annotations } of recordedCatalog().tools)
      expect([name, annotations["readOnlyHint"]]).toEqual([name, effect === "reads"]);
  });

  it("has an example of every operation", () => {
    expect(catalog.operations.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });
});
