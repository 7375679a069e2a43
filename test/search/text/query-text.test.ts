import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQueryText } from "../../../src/search/text/query-text.ts";

const parse = (q: string) => {
  const { any, phrases, excluded } = parseQueryText(q);
  return { any, phrases, excluded };
};

describe("parseQueryText", () => {
  it.each<[string, string, Partial<ReturnType<typeof parse>>]>([
    ["plain words in lower case, each time", "Road bike ROAD", { any: ["road", "bike", "road"] }],
    [
      "quoted phrases with their stop words",
      '"Lord of the Rings" used',
      { any: ["used"], phrases: [["lord", "of", "the", "rings"]] },
    ],
    [
      "exclusions of words and phrases by a hyphen in front",
      'bike -electric -"for rent" --kids',
      { any: ["bike"], excluded: [["electric"], ["for", "rent"], ["kids"]] },
    ],
    ["no exclusion by a hyphen inside a word or alone", "time-sharing - system", { excluded: [] }],
    [
      "words with signs as the index does",
      "node.js C++ e-mail",
      { any: ["node", "js", "cplusplus", "e", "mail"] },
    ],
    ["an excluded word with signs too", "-node.js", { excluded: [["node", "js"]] }],
    [
      "both spellings for excluded ones",
      "desk -e-mail -müller",
      { excluded: [["e", "mail"], ["email"], ["müller"], ["mueller"]] },
    ],
    ["no stop words", "where is the station", { any: ["station"] }],
    ["no lone stop words beside a phrase", 'the "road bike"', { any: [], phrases: [["road", "bike"]] }],
    ["stop words when nothing else is left", "to be or not", { any: ["to", "be", "or", "not"] }],
    ["an unclosed quote as a blank", '"road bike', { any: ["road", "bike"], phrases: [] }],
    ["a quote inside a word too", '5" pipe 7" pipe', { any: ["5", "pipe", "7", "pipe"], phrases: [] }],
    ...["“road bike”", "„road bike“", "‟road bike”", "«road bike»", "＂road bike＂"].map(
      (q): [string, string, object] => [`typographic quotes: ${q}`, q, { phrases: [["road", "bike"]] }],
    ),
    [
      "brackets and commas around phrases",
      '("road bike","city bike")',
      {
        phrases: [
          ["road", "bike"],
          ["city", "bike"],
        ],
      },
    ],
    ["exclusions in brackets", "bike (-kids) [-rent] a,-b", { excluded: [["kids"], ["rent"]] }],
    ["a number with its thousands as one word", "12,500 km", { any: ["12500", "km"] }],
    [
      "an exclusion beside a phrase",
      '-"for rent" "road bike" -"for  Rent"',
      {
        ...{ any: [], phrases: [["road", "bike"]], excluded: [["for", "rent"]] },
      },
    ],
    ["no word behind five thousand characters", `${" ".repeat(4_996)}bike`, { any: ["bike"] }],
    ["none beyond them", `cello ${" ".repeat(4_994)}bike`, { any: ["cello"] }],
    ["words of scripts without blanks", "東京で自転車を", { any: ["東京", "で", "自転車", "を"] }],
  ])("takes %s: %s", (_what, q, taken) => expect(parse(q)).toMatchObject(taken));

  it("takes four phrases and eight exclusions, equal ones once, and names the rest", () => {
    const q = [..."aabcdefg"].map((letter) => `"${letter} x"`).join(" ");
    const { phrases, unread } = parseQueryText(q);
    expect(phrases.map(([first]) => first)).toEqual(["a", "b", "c", "d"]);
    expect(unread).toEqual(["e x", "f x", "g x"]);
    expect(parseQueryText("bike -a -b -c -d -e -f -g -h -h -i").unread).toEqual(["-i"]);
  });

  it("takes dashes for hyphens before a word or a phrase, 64 words, and 16 words of a phrase", () => {
    expect(parse("bike –electric −“for rent” 2–3")).toMatchObject({
      excluded: [["electric"], ["for", "rent"]],
    });
    const words = Array.from({ length: 65 }, (_, n) => `w${n}`);
    expect(parse(words.join(" ")).any).toEqual(words.slice(0, 64));
    expect(parse(`"x ${words.join(" ")}"`).phrases[0]).toHaveLength(16);
  });

  it("knows how others write words with a hyphen or an umlaut", () => {
    expect(parseQueryText("check-in for Müller").respelt).toEqual(["checkin", "mueller"]);
    expect(parseQueryText("state-of-the-art 2-3 poets").respelt).toEqual([]);
    expect(parseQueryText("road bike").respelt).toEqual([]);
    const words = Array.from({ length: 65 }, (_, n) => `w${n}ö`);
    expect(parseQueryText(words.join(" ")).respelt).toEqual(
      words.slice(0, 64).map((word) => word.replace("ö", "oe")),
    );
  });

  it("gives the plain text without operators and excluded parts, for the model", () => {
    expect(parseQueryText('What is a "road bike", really? -electric').plain).toBe(
      "What is a road bike, really?",
    );
    expect(parseQueryText("C++ or node.js").plain).toBe("C++ or node.js");
    expect(parseQueryText('"road bike"').plain).toBe("road bike");
    expect(parseQueryText('5"" pipe').plain).toBe("5 pipe");
    expect(parseQueryText("-road bike").plain).toBe("bike");
    expect(parseQueryText("-road").plain).toBe("");
    expect(parseQueryText('bike -"for rent" (-kids), -red').plain).toBe("bike ( ),");
    expect(parseQueryText("bike under 900 €, not red, without gears").plain).toBe("bike , , without gears");
    expect(parseQueryText("bike under 900 €, not red").bounds).toEqual({
      price: { said: "under 900 €", min: 0, max: 900, currency: "EUR" },
      unwanted: [{ said: "red", words: ["red"] }],
    });
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
        bounds: { price: null, unwanted: [] },
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
