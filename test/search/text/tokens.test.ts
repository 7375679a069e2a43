import { describe, expect, it } from "vitest";
import {
  comparableWords,
  indexable,
  otherSpellings,
  withSigns,
  wordsOf,
} from "../../../src/search/text/tokens.ts";

describe("indexable", () => {
  it.each([
    ["C++, C#, F# and .NET", ["cplusplus", "csharp", "fsharp", "and", "dotnet"]],
    ["csharp in C", ["csharp", "in", "c"]],
    ["example.net node.js", ["example", "net", "node", "js"]],
    ["O'Brien, O’Brien and d'occasion", ["obrien", "obrien", "and", "d", "occasion"]],
    ["U.S.A. and 12,500 or 1,2", ["usa", "and", "12500", "or", "1", "2"]],
    ["U.K. or u.s.a, 1,234,567 or 1,2345", ["uk", "or", "usa", "1234567", "or", "1", "2345"]],
    ["C++ and C++, O'Brien's o'er", ["cplusplus", "and", "cplusplus", "obrien", "s", "o", "er"]],
    ["xc# c#x", ["xc", "c", "x"]],
  ])("makes one word of what is one: %s", (text, words) => {
    expect(comparableWords(text)).toEqual(words);
    expect(wordsOf(text)).toEqual(words);
  });

  it("leaves text of scripts with blanks as it is, but for case and accents", () => {
    expect(indexable("Fahrrad, Höhe 56 · naïve")).toBe("fahrrad, hohe 56 · naive");
  });

  it.each([
    ["ΟΔΌΣ ὁδός ΑΪΤΉ", "οδοσ οδοσ αιτη"],
    ["Ёлка, за́мок", "елка, замок"],
    ["й Ї Ќ ў", "й ї ќ ў"],
    ["Łódź Tromsø STRASSE Straße", "lodz tromso strasse strasse"],
    ["İstanbul Isparta ısparta", "istanbul isparta isparta"],
    ["Œuvre Ægir Đorđe Guðrún Þór Ħal Sáŋ Ŧorp", "oeuvre aegir dorde gudrun thor hal san torp"],
    ["أحمد إسلام آدم", "احمد اسلام ادم"],
    ["が ก็ 각", " が   ก็  각"],
  ])("spells %s as %s", (text, spelled) => {
    expect(indexable(text)).toBe(spelled);
    expect(indexable(text.normalize("NFD"))).toBe(spelled);
  });

  it("puts blanks around each character of scripts without them, marks staying with their letter", () => {
    expect(indexable("東京Tower").trim().split(/\s+/)).toEqual(["東", "京", "tower"]);
    expect(indexable("ที่ดี").trim().split(/\s+/)).toEqual(["ที่", "ดี"]);
  });

  it("unifies compatibility forms and drops invisible characters, control characters and Arabic vowels", () => {
    expect(indexable("ＡＢＣ\u00AD\u0000x")).toBe("abc x");
    expect(indexable("ABC\u0000x\n")).toBe("abc x ");
    for (const written of ["مُحَمَّد", "محـــمد", "محم\u0670د"]) expect(indexable(written)).toBe("محمد");
    expect(indexable("שָׁלוֹם ❤\uFE0F")).toBe("שלום ❤");
  });
});

describe("withSigns", () => {
  it("writes names with their signs, and other words as they are", () => {
    expect(["cplusplus", "csharp", "fsharp", "dotnet", "sharp"].map(withSigns)).toEqual([
      "c++",
      "c#",
      "f#",
      ".net",
      "sharp",
    ]);
  });
});

describe("wordsOf", () => {
  it("gives words in order with repeats, lower-cased", () => {
    expect(wordsOf("C++ and c, Straße 5")).toEqual(["cplusplus", "and", "c", "straße", "5"]);
  });

  it("keeps Hindi vowel signs inside words", () => {
    expect(wordsOf("हिन्दी भाषा")).toEqual(["हिन्दी", "भाषा"]);
  });
});

describe("otherSpellings", () => {
  it("joins the parts of a number beside any currency, before it or behind it, and of no other", () => {
    const currencies =
      "€ $ £ ₹ eur USD gbp CHF fr sek nok dkk kr pln zł czk kč huf ft ron lei inr rs brl nzd aud cad";
    for (const currency of currencies.split(" "))
      for (const text of [`1 500 ${currency}`, `${currency} 1 500`])
        expect([text, otherSpellings(text)]).toEqual([text, ["1500"]]);
    for (const text of ["1 500 km", "page 1 500", "1 500 krill", "1 50 €"])
      expect([text, otherSpellings(text)]).toEqual([text, []]);
  });

  it.each([
    ["Müller, Sören, Åse", ["mueller", "soeren", "aase"]],
    ["Kjærgård, Bjørn", ["kjaergaard", "bjoern"]],
    ["CHF 1 500, 2 500 złotych, 3 500 people", ["1500"]],
    ["check-in, state-of-the-art", ["checkin"]],
    ["12.500 and 2'450, 1.5 or 3,14", ["12500", "2450"]],
    ["1 875 € for 12 500 people", ["1875"]],
    ["Bike", []],
    ["₹1,50,000 or 1.500.000", ["150000", "1500000"]],
    ["12.500,50 € and 12.500.5", ["12500"]],
    ["e‑mail, re‐use", ["email", "reuse"]],
    ["Check-in, Müller-Straße", ["checkin", "muellerstrasse"]],
    ["Müller mueller", []],
    ["Rindfleisch für Bäcker", ["fuer", "baecker"]],
  ])("of %s are those that it has not", (text, others) => expect(otherSpellings(text)).toEqual(others));
});
