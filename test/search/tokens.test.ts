import { describe, expect, it } from "vitest";
import { indexable, wordsOf } from "../../src/search/tokens.ts";

describe("indexable", () => {
  it("leaves text of scripts with blanks as it is", () => {
    expect(indexable("Fahrrad, Größe 56 · naïve")).toBe("Fahrrad, Größe 56 · naïve");
  });

  it("puts blanks around each character of scripts without them, marks staying with their letter", () => {
    expect(indexable("東京Tower").trim().split(/\s+/)).toEqual(["東", "京", "Tower"]);
    expect(indexable("ที่ดี").trim().split(/\s+/)).toEqual(["ที่", "ดี"]);
  });

  it("unifies compatibility forms and drops invisible characters, control characters and Arabic vowels", () => {
    expect(indexable("ＡＢＣ\u00AD\u0000x")).toBe("ABC x");
    expect(indexable("مُحَمَّد")).toBe("محمد");
  });
});

describe("wordsOf", () => {
  it("gives words in order with repeats, lower-cased", () => {
    expect(wordsOf("C++ and c, Straße 5")).toEqual(["c", "and", "c", "straße", "5"]);
  });

  it("keeps Hindi vowel signs inside words", () => {
    expect(wordsOf("हिन्दी भाषा")).toEqual(["हिन्दी", "भाषा"]);
  });
});
