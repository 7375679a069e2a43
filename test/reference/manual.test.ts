import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { STALE } from "../../scripts/recorded/catalog.ts";
import { fieldLines } from "../../src/adapters/reference/fields.ts";
import { doorsOf, manualText } from "../../src/adapters/reference/manual.ts";
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

  it("has the addresses of its own board, whichever that is", () => {
    const other = new Site("https://board.example:8443");
    expect(manualText(catalog, other)).toBe(manual.replaceAll("http://localhost:8787", other.root));
    expect(doorsOf(new Site("https://board.example", { signIn: true }))).toBe(
      "The same tools: https://board.example/mcp/data adds typed data to each answer; https://board.example/mcp/readonly only reads; https://board.example/mcp/me signs in by OAuth 2.1 instead of a key.",
    );
  });

  it.each([
    [{ type: "string" }, ""],
    [{ type: "string", maxLength: 5 }, " ≤5"],
    [{ type: "string", description: "A word." }, ": A word."],
    [{ type: "boolean", default: false }, " boolean, default false"],
    [{ type: "number", minimum: 0, maximum: 50, default: 0 }, " number 0–50, default 0"],
    [{ type: "string", maxLength: 5, default: "a", description: "A word." }, ' ≤5, default "a": A word.'],
    [{ type: "integer", minimum: 1 }, " integer ≥1"],
    [{ anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }] }, " integer 1–9"],
    [{ type: ["string", "null"], maxLength: 5 }, " ≤5"],
    [{ type: ["null", "number"] }, " number"],
    [{ type: "array", maxItems: 2, items: { type: "string", maxLength: 4 } }, " list ≤2, each ≤4"],
    [{ type: "string", enum: ["x", "y"] }, " x|y"],
    [{ type: "boolean", const: true }, " true"],
    [{ type: "string", format: "date-time" }, " date-time"],
    [{ type: "string", format: "uri", maxLength: 9 }, " URL"],
    [{ not: {} }, " refused"],
    [{ type: "object", properties: { known: { type: "string" } } }, " object"],
    [
      {
        type: "object",
        properties: { known: { type: "string", maxLength: 9 }, lat: { type: "number", default: 0 } },
      },
      " {known ≤9, lat number, default 0}",
    ],
  ])("writes a field of %j as its name and: %s", (field, said) => {
    const schema = { properties: { a: field, b: field, c: { type: "null" } }, required: ["b"] };
    expect(fieldLines(schema, new Set(["known"]))).toEqual([`- \`a\`, \`b\`*${said}`, "- `c` null"]);
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
