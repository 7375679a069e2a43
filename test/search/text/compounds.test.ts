import { stemmer } from "stemmer";
import { describe, expect, it } from "vitest";
import { compoundParts, partNamed, partTerm } from "../../../src/search/text/compounds.ts";

const has = (text: string, part: string) => compoundParts(text.split(" ")).has(stemmer(part));

describe("the parts of a compound", () => {
  it.each([
    ["esstisch", "tisch"],
    ["gartentisch", "garten"],
    ["winterreifen", "winter"],
    ["wandlampe", "wand"],
    ["winterreifen", "reifen"],
    ["kinderbucher", "buch"],
    ["tafellamp", "lamp"],
    ["das laufrad ist fur ein kind", "rad"],
  ])("of %s: %s", (text, part) => expect(has(text, part)).toBe(true));

  it.each([
    ["a word of the text", "esstisch tisch", "tisch"],
    ["what no word begins with", "gartentisch", "ntisch"],
    ["a beginning of three letters", "esstisch", "ess"],
    ["an ending", "praktisch", "tisch"],
    ["the end of a country", "deutschland", "land"],
    ["what a verb begins with", "verkauf", "kauf"],
    ["the beginning before an ending", "wanderung", "wand"],
    ["what has two letters before it", "abtisch", "tisch"],
    ["a short word at the end of what may be a title", "laufrad", "rad"],
    ["part of an English text", "the esstisch of the house", "tisch"],
    ["part of more than forty letters", `${"ga".repeat(18)}tisch`, "tisch"],
  ])("are not %s: %s", (_, text, part) => expect(has(text, part)).toBe(false));

  it("are sought for words of three Latin letters and more", () => {
    expect([partTerm("rad"), partTerm("tables")]).toEqual([partNamed("rad"), partNamed("tabl")]);
    expect([partTerm("ra"), partTerm("東京都")]).toEqual([null, null]);
  });
});
