import { describe, expect, it } from "vitest";
import { meantWord, slipsBetween } from "../../../src/search/spelling.ts";
import { isAfterSeekers } from "../../../src/search/standing-rule/cues.ts";
import { isOtherLanguage, withoutStopWords } from "../../../src/search/stop-words.ts";

describe("slipsBetween", () => {
  it.each([
    ["violin", "violin", 0],
    ["voilin", "violin", 1],
    ["blod", "blood", 1],
    ["lesssons", "lessons", 1],
    ["mashine", "machine", 1],
    ["abstreact", "bstract", 2],
    ["corse", "houses", 3],
    ["a", "abcdef", 3],
  ])("%s, %s: %i, told up to two", (a, b, slips) => expect(slipsBetween(a, b, 2)).toBe(slips));
});

describe("meantWord", () => {
  const of = (typed: string, ...words: [string, number][]) =>
    meantWord(
      typed,
      words.map(([word, posts]) => ({ word, posts })),
    );

  it("is the nearest, then the most frequent, then the first by alphabet", () => {
    expect(of("prospcts", ["products", 9], ["prospects", 2])).toBe("prospects");
    expect(of("corse", ["course", 8], ["corset", 1])).toBe("course");
    expect(of("lesons", ["lessons", 1], ["lemons", 1])).toBe("lemons");
  });

  it("is no stop word, no shorter word with an ending, and no rare one two slips away", () => {
    expect(of("bots", ["both", 9], ["boots", 1])).toBe("boots");
    expect(of("tuner", ["tune", 5])).toBeNull();
    expect(of("subspaces", ["substates", 1])).toBeNull();
    expect(of("mown", ["machine", 5])).toBeNull();
  });
});

describe("stop words", () => {
  it("are dropped in the language that a text looks like", () => {
    expect(withoutStopWords(["cours", "de", "swahili", "en", "ligne"])).toEqual([
      "cours",
      "swahili",
      "ligne",
    ]);
    expect(withoutStopWords(["fahrrad", "für", "ein", "kind"])).toEqual(["fahrrad", "kind"]);
    expect(withoutStopWords(["mieszkanie", "w", "krakowie", "dla", "studenta"])).toEqual([
      "mieszkanie",
      "krakowie",
      "studenta",
    ]);
  });

  it("are those of English in an English text, whatever names it holds", () => {
    expect(withoutStopWords(["a", "house", "in", "den", "haag"])).toEqual(["house", "den", "haag"]);
    expect(isOtherLanguage(["die", "hard", "dvd"])).toBe(false);
    expect(withoutStopWords(["die", "hard", "dvd"])).toEqual(["die", "hard", "dvd"]);
  });
});

describe("a search", () => {
  it.each([
    "someone who needs firewood",
    "organisation that accepts used laptops",
    "couple seeking a photographer",
    "family looking for a piano teacher",
    "school asking to borrow a telescope",
    "I have a spare room, who is searching for one",
    "does anybody need a document translated",
    "wer sucht eine Wohnung",
    "qui cherche un appartement",
  ])("is after those who seek: %s", (text) => expect(isAfterSeekers(text)).toBe(true));

  it.each([
    "firewood",
    "looking for firewood",
    "I am looking for a piano teacher",
    "we need a photographer for our wedding",
    "somebody to water the plants",
    "someone who can fix my bike",
    "dog walker wanted",
    "person needed for an afternoon",
    "suche Fahrrad",
    "adult afraid of the ocean wants coaching",
  ])("is after the thing itself: %s", (text) => expect(isAfterSeekers(text)).toBe(false));
});
