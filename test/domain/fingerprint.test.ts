import { describe, expect, it } from "vitest";
import { fingerprint, nearIdentical } from "../../src/domain/posts/duplicates.ts";
import { cpuMsOf } from "../support/run/cpu.ts";
import { prose } from "../support/texts/prose.ts";

const printOf = (body: string, fields: Partial<Parameters<typeof fingerprint>[0]> = {}) =>
  fingerprint({ title: "", body, startsAt: null, location: null, ...fields });
const near = (a: string, b: string) => nearIdentical(printOf(a), printOf(b));

/** No two of them are near each other. */
const expectApart = (texts: readonly string[]) => {
  const prints = texts.map((text) => printOf(text));
  const found = prints.flatMap((one, at) =>
    prints
      .slice(at + 1)
      .filter((other) => nearIdentical(one, other))
      .map(() => texts[at]),
  );
  expect(found).toEqual([]);
};

const POST =
  "Secondhand cargo bike for sale in Utrecht. Bought in 2023, 3100 km, new brakes and a rain cover, " +
  "fits two children. Can be tried any evening this week near the central station, price 1900 euros.";

describe("fingerprint", () => {
  it("takes milliseconds for 8,000 characters of anything", () => {
    for (const unit of ["a", "a ", "1.", "中", "e\u0301", "😀", "-"]) {
      const text = unit.repeat(8000 / unit.length);
      // The best of five: a busy machine slows single runs, a quadratic step all of them.
      const times = Array.from({ length: 5 }, () => cpuMsOf(() => printOf(text)));
      expect(Math.min(...times), unit).toBeLessThan(40);
    }
  });
});

describe("nearIdentical", () => {
  it.each([
    ["emoji", `🚲🚲 ${POST} 🔥`],
    ["punctuation and case", POST.toUpperCase().replaceAll(".", " !!").replaceAll(",", " -")],
    ["accents", POST.replace("central", "céntral")],
    ["characters that nobody sees", POST.replace(/\b(?=\w{3})/g, "\u200b").replaceAll("e", "e\u00ad")],
    ["one changed word", POST.replace("children", "dogs")],
    ["a word more", `${POST} Thanks`],
  ])("sees through %s", (_, other) => {
    expect(near(POST, other)).toBe(true);
  });

  it("tells posts apart by their numbers, start and place, though the words are the same", () => {
    expect(near(POST, POST.replace("1900", "1850"))).toBe(false);
    const berlin = { name: "Berlin", lat: 52.52, lng: 13.41 };
    const first = printOf(POST, { startsAt: 1, location: berlin });
    expect(nearIdentical(first, printOf(POST, { startsAt: 1, location: berlin }))).toBe(true);
    expect(nearIdentical(first, printOf(POST, { startsAt: 2, location: berlin }))).toBe(false);
    for (const elsewhere of [{ name: "Bonn" }, { name: null }, { lat: 52.53 }, { lng: 13.42 }])
      expect(
        nearIdentical(first, printOf(POST, { startsAt: 1, location: { ...berlin, ...elsewhere } })),
      ).toBe(false);
    const shouted = printOf(POST, { startsAt: 1, location: { ...berlin, name: "BERLIN" } });
    expect(nearIdentical(first, shouted)).toBe(true);
  });

  it.each([
    [150, 11],
    [151, 9],
    [400, 9],
    [401, 6],
  ])(
    "lets the prints of texts of %i words differ by %i bits, of which the shorter one counts",
    (words, most) => {
      const print = (bits: number, of = words) =>
        `${(2n ** BigInt(bits) - 1n).toString(16).padStart(16, "0")}.${of}.0`;
      const isNear = (bits: number) => nearIdentical(print(0, 8_000), print(bits));
      expect([isNear(most), isNear(most + 1)]).toEqual([true, false]);
    },
  );

  it("tells texts of signs alone apart", () => {
    expectApart(["🎻🎻🎺", "🚲", "🍞🥐☕🍰", "+++", "12345"]);
    expect(near("🎻🎻🎺", " 🎻🎻🎺 ")).toBe(true);
  });

  it("tells long texts of one vocabulary apart, and still sees through a changed word", () => {
    const texts = Array.from({ length: 20 }, () => {
      let text = prose();
      while (text.length < 7_500) text += ` ${prose()}`;
      return text;
    });
    for (const text of texts) expect(near(text, `${text} thanks`)).toBe(true);
    expectApart(texts);
  });
});
