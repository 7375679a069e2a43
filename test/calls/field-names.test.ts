import { describe, expect, it } from "vitest";
import { fieldMeant, fieldsNamed, kindMeant } from "../../src/adapters/calls/field-names.ts";

describe("a field that the call does not have", () => {
  it.each([
    ["ix", "id", "id"],
    ["i", "id", "id"],
    ["xy", "id", null],
    ["age", "tags", null],
    ["tgas", "tags", "tags"],
    ["titel", "title", "title"],
    ["lable", "label", "label"],
    ["time", "starts_at", "starts_at"],
    ["offset", "cursor", "cursor"],
    ["venuxx", "venues", "venues"],
    ["venxxx", "venues", null],
    ["agxx", "ages", null],
    [`${"x".repeat(39)}y`, "x".repeat(40), "x".repeat(40)],
    [`${"x".repeat(40)}y`, "x".repeat(40), null],
  ])("%s beside %s means %s", (name, field, meant) => {
    expect(fieldMeant(name, new Set([field]))).toBe(meant);
  });

  it("is read by another name where only that is known", () => {
    expect(fieldsNamed("date", new Set(["after", "before"]))).toEqual(["after", "before"]);
    expect(fieldsNamed("date", new Set(["after", "date"]))).toEqual([]);
    expect(fieldsNamed("time", new Set(["starts_at"]))).toEqual([]);
  });

  it.each([
    ["sale", "offer"],
    ["For Sale", "offer"],
    ["looking-for", "request"],
    [" Concerts ", "event"],
    ["questions", "thread"],
    ["news", "announcement"],
    ["furniture", null],
  ])("as a kind, %j is %s", (sent, kind) => {
    expect(kindMeant(sent)).toBe(kind);
  });
});
