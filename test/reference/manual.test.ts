import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { STALE } from "../../scripts/recorded/catalog.ts";
import { manualText } from "../../src/adapters/reference/manual.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { FAILURES } from "../../src/board/failures.ts";
import { Site } from "../../src/domain/site.ts";
import { failureOf, successOf } from "../../src/schema/envelope.ts";
import { jsonSchemaOf } from "../../src/schema/json-schema.ts";
import { Post } from "../../src/schema/post.ts";
import { BUDGETS } from "../support/run/budgets.ts";
import { tokensOf } from "../support/texts/tokens.ts";

const catalog = await loadCatalog();
const manual = manualText(catalog, new Site("http://localhost:8787"));

describe("the manual", () => {
  it("equals llms.txt; otherwise run `npm run manual`", async () => {
    expect(await readFile(new URL("../../llms.txt", import.meta.url), "utf8"), STALE).toBe(manual);
  });

  it("takes at most 6,000 tokens for eight tools and 200 for each further tool", () => {
    const tokens = tokensOf(manual);
    expect(tokens).toBeLessThanOrEqual(BUDGETS.manualTokens(catalog.tools.length));
  });

  it("begins as llmstxt.org asks: one title, a quoted summary, sections, links", () => {
    expect(manual).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n/);
    expect(manual.match(/^# /gm)).toHaveLength(1);
    expect(manual).toMatch(/\n## [^\n]+\n\n- \[[^\]]+\]\(http[^)]+\)/);
  });

  it("mentions no field, tool or failure that does not exist", () => {
    const words = [...manual.matchAll(/`(?:meta\.|error\.)?([a-z_]+)`/g)].map(([, word]) => word ?? "");
    const known = new Set([
      ...catalog.operations.flatMap(({ name, input, output, list = false }) => [
        name,
        ...propertyNames(jsonSchemaOf(input, "input")),
        ...propertyNames(jsonSchemaOf(successOf(output, list), "output")),
      ]),
      ...propertyNames(jsonSchemaOf(failureOf(["internal"]), "output")),
      ...choices(jsonSchemaOf(successOf(Post, true), "output")),
      ...catalog.tools.flatMap(({ input }) => choices(jsonSchemaOf(input, "input"))),
      ...Object.keys(FAILURES),
    ]);
    expect(words.filter((word) => !known.has(word))).toEqual([]);
  });
});

/** Names of all properties anywhere in a JSON Schema. */
function propertyNames(schema: unknown): string[] {
  return parts(schema).flatMap((part) => Object.keys((part["properties"] ?? {}) as object));
}

/** Every value that a choice in a JSON Schema offers. */
function choices(schema: unknown): string[] {
  return parts(schema).flatMap((part) => (Array.isArray(part["enum"]) ? part["enum"].map(String) : []));
}

function parts(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.values(schema).flatMap(parts);
  return Array.isArray(schema) ? inner : [schema as Record<string, unknown>, ...inner];
}
