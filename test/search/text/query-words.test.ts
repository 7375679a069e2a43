import { describe, expect, it } from "vitest";
import { doubtfulWords } from "../../../src/search/text/query-text.ts";
import { meantWord, slipsBetween, slipsIn } from "../../../src/search/text/spelling.ts";
import {
  isAnyStopWord,
  isOtherLanguage,
  isStopWord,
  stopWordsOf,
  withoutStopWords,
} from "../../../src/search/text/stop-words.ts";

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
    expect(of("lesons", ["lemons", 1], ["lessons", 1])).toBe("lemons");
  });

  it("is no stop word, no shorter word with an ending, and no rare one two slips away", () => {
    expect(of("bots", ["both", 9], ["boots", 1])).toBe("boots");
    expect(of("tuner", ["tune", 5])).toBeNull();
    expect(of("subspaces", ["substates", 1])).toBeNull();
    expect(of("mown", ["machine", 5])).toBeNull();
  });

  it("may be two slips away from eight letters on, where two posts have it; an exchange of letters is one slip", () => {
    expect(of("telecope", ["telescopes", 2])).toBe("telescopes");
    expect(of("telecope", ["telescopes", 1])).toBeNull();
    expect(of("telcope", ["telescope", 9])).toBeNull();
    expect(of("paino", ["piano", 1])).toBe("piano");
    expect(of("bike", ["bike", 9], ["bikes", 1])).toBe("bikes");
    expect(of("lessonn", ["lesson", 1])).toBe("lesson");
    expect(of("celo", ["cello", 1], ["cells", 9], ["ceilo", 2])).toBe("ceilo");
  });

  it.each([
    ["piano", "piano", 2, 0],
    ["piano", "paino", 2, 1],
    ["piano", "pino", 2, 1],
    ["piano", "pianos", 2, 1],
    ["piano", "piamo", 2, 1],
    ["piano", "painos", 2, 2],
    ["telescope", "telscpe", 2, 2],
    ["abcdef", "badcef", 2, 2],
    // More than are allowed count as one more.
    ["abcdef", "badcfe", 2, 3],
    ["piano", "p", 2, 3],
    ["piano", "viola", 1, 2],
    ["", "a", 1, 1],
  ])("counts the slips between %s and %s, of which %i may be: %i", (one, other, most, slips) => {
    expect([slipsBetween(one, other, most), slipsBetween(other, one, most)]).toEqual([slips, slips]);
  });

  it("may have one slip up to seven letters, and two from eight on", () => {
    expect(["four", "sevenxx", "eightxxx"].map(slipsIn)).toEqual([1, 1, 2]);
  });

  it("is sought for words that are neither quoted nor excluded, nor a code or a name", () => {
    const words = (q: string) => doubtfulWords(q).map(({ word, start }) => `${word} ${start}`);
    expect(words('Bkie "cello lesosn" -paino IKEA for Meyer')).toEqual(["Bkie 0", "for 32"]);
    expect(words("a@b.org x/y a1 Strassenbahn, Berliner")).toEqual(["Strassenbahn 15", "Berliner 29"]);
    expect(words("for Elbhaus")).toEqual(["for 0"]);
    expect(words("PHILHARMONIE phone")).toEqual(["phone 13"]);
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
    expect(isOtherLanguage(["fahrrad", "für", "ein", "kind"])).toBe(true);
    expect(["the", "und", "dla", "bike"].map(isAnyStopWord)).toEqual([true, true, true, false]);
    expect(["the", "und", "dla", "bike"].map(isStopWord)).toEqual([true, false, false, false]);
    expect(["und", "fur", "für", "the"].map((word) => stopWordsOf("de").has(word))).toEqual([
      ...[true, true, false, false],
    ]);
    expect(withoutStopWords(["die", "hard", "dvd"])).toEqual(["die", "hard", "dvd"]);
  });
});
