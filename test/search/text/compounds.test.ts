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
    ["glastisch", "tisch"],
    ["klapptisch", "tisch"],
    ["ackerland", "land"],
    ["gartenbank", "garten"],
    ["kinderbetten", "bett"],
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

  it("are no word behind what changes a verb, before an ending, or at the end of an adjective or a country", () => {
    const found = (words: string, part: (word: string) => string, whole: (word: string) => string) =>
      words.split(" ").filter((word) => has(whole(word), part(word)));
    const verbs =
      "ver ent emp zer mis miss dis her hin vor aus auf ein nach uber unter durch wieder ont aan uit voor door over onder for fra til till med upp inn";
    expect(
      found(
        verbs,
        () => "kauf",
        (verb) => `${verb}kauf`,
      ),
    ).toEqual([]);
    const endings =
      "lich heit keit igkeit isch chen lein haft ende tion ation erin innen eren erte heid ingen ning ighet ungen erung";
    expect(
      found(
        endings,
        () => "garten",
        (ending) => `garten${ending}`,
      ),
    ).toEqual([]);
    expect(found("praktisch romantisch elastisch politisch hektisch", () => "tisch", String)).toEqual([]);
    const countries =
      "holland england finland irland thailand deutschland tyskland duitsland griechenland russland ryssland estland lettland letland poland scotland schottland skotland switzerland greenland gronland";
    expect(found(countries, () => "land", String)).toEqual([]);
    const short = { kamerad: "rad", lesbar: "bar", direktor: "tor", endlos: "los" };
    for (const [word, part] of Object.entries(short))
      expect([word, has(`das ${word} ist fur ein kind`, part)]).toEqual([word, false]);
  });

  it("are sought for words of three Latin letters and more", () => {
    expect([partTerm("rad"), partTerm("tables")]).toEqual([partNamed("rad"), partNamed("tabl")]);
    expect([partTerm("ra"), partTerm("東京都")]).toEqual([null, null]);
  });
});
