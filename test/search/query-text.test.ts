import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQueryText } from "../../src/search/query-text.ts";

const parse = (q: string) => {
  const { any, phrases, excluded } = parseQueryText(q);
  return { any, phrases, excluded };
};

describe("parseQueryText", () => {
  it("takes plain words in lower case, as often as they are said", () => {
    expect(parse("Road bike ROAD")).toEqual({ any: ["road", "bike", "road"], phrases: [], excluded: [] });
  });

  it("takes quoted phrases with their stop words", () => {
    expect(parse('"Lord of the Rings" used')).toEqual({
      any: ["used"],
      phrases: [["lord", "of", "the", "rings"]],
      excluded: [],
    });
  });

  it("takes four phrases and eight exclusions, equal ones once, and names the rest", () => {
    const q = [..."aabcdefg"].map((letter) => `"${letter} x"`).join(" ");
    const { phrases, unread } = parseQueryText(q);
    expect(phrases.map(([first]) => first)).toEqual(["a", "b", "c", "d"]);
    expect(unread).toEqual(["e x", "f x", "g x"]);
    expect(parseQueryText("bike -a -b -c -d -e -f -g -h -h -i").unread).toEqual(["-i"]);
    expect(parseQueryText(`"${"the ".repeat(100)}"`).phrases[0]).toHaveLength(16);
  });

  it("excludes words and phrases with a hyphen in front", () => {
    expect(parse('bike -electric -"for rent" --kids')).toEqual({
      any: ["bike"],
      phrases: [],
      excluded: [["electric"], ["for", "rent"], ["kids"]],
    });
  });

  it("cuts words with inner punctuation as the index does", () => {
    expect(parse("node.js C++ e-mail rock'n'roll").any).toEqual([
      "node",
      "js",
      "cplusplus",
      "e",
      "mail",
      "rock",
      "n",
      "roll",
    ]);
    expect(parse("-node.js").excluded).toEqual([["node", "js"]]);
  });

  it("knows how others write words with a hyphen or an umlaut, and excludes both", () => {
    expect(parseQueryText("check-in for Müller").respelt).toEqual(["checkin", "mueller"]);
    expect(parseQueryText("state-of-the-art 2-3 poets").respelt).toEqual([]);
    expect(parse("desk -e-mail -müller").excluded).toEqual([
      ["e", "mail"],
      ["email"],
      ["müller"],
      ["mueller"],
    ]);
  });

  it("excludes nothing by a hyphen inside a word or alone", () => {
    expect(parse("time-sharing - system").excluded).toEqual([]);
  });

  it("drops stop words unless nothing else is left", () => {
    expect(parse("where is the station").any).toEqual(["station"]);
    expect(parse("to be or not to be").any).toEqual(["to", "be", "or", "not", "to", "be"]);
  });

  it("reads an unclosed quote as a blank, and one inside a word too", () => {
    expect(parse('"road bike').any).toEqual(["road", "bike"]);
    expect(parse('5" pipe 7" pipe')).toEqual({ any: ["5", "pipe", "7", "pipe"], phrases: [], excluded: [] });
  });

  it("understands typographic quotes, and brackets and commas around phrases", () => {
    expect(parse("“road bike”").phrases).toEqual([["road", "bike"]]);
    expect(parse('("road bike","city bike")').phrases).toEqual([
      ["road", "bike"],
      ["city", "bike"],
    ]);
  });

  it("cuts scripts without blanks into words", () => {
    expect(parse("東京で自転車を").any).toEqual(["東京", "で", "自転車", "を"]);
    expect(parse("ห้องเช่า").any.join("")).toBe("ห้องเช่า");
  });

  it("gives the plain text without operators and excluded parts, for the model", () => {
    expect(parseQueryText('What is a "road bike", really? -electric').plain).toBe(
      "What is a road bike, really?",
    );
    expect(parseQueryText("C++ or node.js").plain).toBe("C++ or node.js");
  });

  it.each(["", "   ", "!!!", '"', '""', "-", '-"', "🎉🎉", "\u0000", '"!!!" -?'])(
    "asks for nothing with %j",
    (q) => {
      expect(parseQueryText(q)).toEqual({
        any: [],
        respelt: [],
        phrases: [],
        excluded: [],
        unread: [],
        plain: "",
      });
    },
  );

  it("never fails, and gives words without blanks, quotes and control characters", () => {
    const junk = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', "-", " ", "(", ",", "a", "the", "東", "\u0000", "”"),
        fc.string({ unit: "binary" }),
      ),
      maxLength: 500,
    });
    fc.assert(
      fc.property(junk, (q) => {
        const { any, phrases, excluded } = parseQueryText(q);
        for (const word of [...any, ...phrases.flat(), ...excluded.flat()]) {
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]+$/u);
        }
      }),
    );
  });
});
