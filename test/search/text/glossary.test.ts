import { describe, expect, it } from "vitest";
import { glossaryVersion, glossOf, isGlossed } from "../../../src/search/text/glossary.ts";
import { preparationFor, textForModel } from "../../../src/search/text/model-text.ts";

describe("glossOf", () => {
  it.each([
    ["Verschenke meinen Kühlschrank", "give away free, fridge"],
    ["Cherche un violon pour enfant", "wanted looking for, violin fiddle strings, child children"],
    ["Vendo lavadora, casi nueva", "for sale sell, washing machine, new"],
    ["Affitto una camera in centro", "rent, room"],
    ["Gezocht: tweedehands koelkast", "wanted looking for, used second-hand, fridge"],
    ["Sprzedam używany rower dla dziecka", "for sale sell, used second-hand, bicycle bike, child children"],
    ["Procuro professor de inglês", "wanted looking for, teacher, english"],
  ])("says in English what is in other languages: %s", (text, gloss) => expect(glossOf(text)).toBe(gloss));

  it.each([
    ["Badezimmerschrank", "bathroom shower, wardrobe cupboard shelf"],
    ["Kindergeburtstag im Garten", "child children, birthday, garden"],
    ["Klavierunterricht", "piano, lesson class"],
    // Letters stand between the parts of some.
    ["Geburtstagsgeschenk", "birthday, gift voucher"],
    ["Lampenfest", "lamp light, festival party"],
    ["Frauenchor", "man woman, choir singing"],
    ["Meeresfest", "sea beach coast, festival party"],
    ["Pferdefest", "horse riding, festival party"],
    ["Klavieren", "piano"],
    ["verhuisdozen", "van lorry moving, box carton packing"],
    ["Gartenqwxyzz", "garden"],
    ["Xyzzkühlschrank", "fridge"],
    ["Xyzzgarten", "garden"],
    ["Klavier", "piano"],
    ["habitaciones", "room"],
  ])("takes compounds apart: %s", (text, gloss) => expect(glossOf(text)).toBe(gloss));

  it.each([
    "Fridge to give away, works well",
    "die hard dvd",
    "pain relief",
    "a chat about coins",
    "Parking for one car near the station",
    "A CRT Report Generating System",
    "citizen science classify galaxy images",
    "piano",
    "Geige",
    "café latte",
    "Kornblum KD-210",
    "Klavieri",
    "東京の自転車",
    // One part of four letters, or a last one of five, is too little.
    "Bootqwxyzz",
    "Xyzztisch",
    // Endings have three letters at most.
    "habitacioncitas",
    "",
  ])("leaves English, names and what it does not know alone: %s", (text) => expect(glossOf(text)).toBe(""));

  it("reads no text with three English words in a language of which it has no stop word", () => {
    const things = "Klavier Geige Kühlschrank Waschmaschine";
    expect(glossOf(`the and ${things}`)).toContain("fridge");
    expect(glossOf(`the and of ${things}`)).toBe("");
    expect(glossOf(`the and of ${things} und`)).toContain("fridge");
  });

  it("looks into no word above 40 letters, however it is made of known ones", () => {
    expect(glossOf("boot".repeat(10))).not.toBe("");
    expect(glossOf(`${"boot".repeat(1998)}qqqqqq`)).toBe("");
  });

  it("reads the first four hundred words", () => {
    expect(glossOf(`${"qwxyz ".repeat(399)}Klavier`)).toBe("piano");
    expect(glossOf(`${"qwxyz ".repeat(400)}Klavier`)).toBe("");
  });

  it("has a version that changes with the table, and tells whether every part of a word is in it", () => {
    expect(glossaryVersion()).toMatch(/^[0-9a-f]{8}$/);
    expect(["klavier", "klavier-garten", "klavier-qwxyz"].map(isGlossed)).toEqual([true, true, false]);
  });

  it("reads names of several words", () => {
    expect(glossOf("Petit marché de Noël")).toBe("christmas market");
    expect(glossOf("Sprzedam wózek, pompa ciepła gratis")).toContain("heat pump");
  });
});

describe("what the model gets", () => {
  const post = { title: "Suche Geige", body: "Für ein Kind.", tags: ["musik"], placeName: "Wien" };

  it("is a post with its title in English first and all of it last", () => {
    expect(textForModel(post, { english: true })).toBe(
      "wanted looking for, violin fiddle strings. Suche Geige. Für ein Kind.\nmusik, Wien\nwanted looking for, violin fiddle strings, child children",
    );
    expect(textForModel("gebrauchte Geige", { english: true })).toBe(
      "gebrauchte Geige. used second-hand, violin fiddle strings",
    );
  });

  it("is a post with all of it first, too, where its title says nothing that is known", () => {
    const gloss = "wanted looking for, violin fiddle strings, child children";
    const untitled = { title: "Qwxyz", body: "Suche Geige für ein Kind.", tags: [], placeName: null };
    expect(textForModel(untitled, { english: true })).toBe(
      `${gloss}. Qwxyz. Suche Geige für ein Kind.\n${gloss}`,
    );
    // Tags and place are names: nothing in them is said in English.
    const named = { ...untitled, body: "Qwxyz.", tags: ["geige"], placeName: "Garten" };
    expect(textForModel(named, { english: true })).toBe("Qwxyz. Qwxyz.\ngeige, Garten");
    expect(textForModel({ ...named, placeName: null }, { english: true })).toBe("Qwxyz. Qwxyz.\ngeige");
    expect(textForModel({ ...named, tags: [], placeName: "Wien" }, { english: true })).toBe(
      "Qwxyz. Qwxyz.\nWien",
    );
  });

  it("has a name for how it was prepared, which changes with the glossary where one is used", () => {
    expect(preparationFor({ english: true })).toBe(`1-glossed-${glossaryVersion()}`);
    expect(preparationFor({ english: false })).toBe("1-plain");
  });

  it("is an English text as it stands", () => {
    const english = { title: "Violin wanted", body: "For my daughter.", tags: [], placeName: null };
    expect(textForModel(english, { english: true })).toBe("Violin wanted. For my daughter.");
    expect(textForModel(post, { english: false })).toBe("Suche Geige. Für ein Kind.\nmusik, Wien");
    expect(textForModel("used violin", { english: true })).toBe("used violin");
  });
});
