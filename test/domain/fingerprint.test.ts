import { describe, expect, it } from "vitest";
import { fingerprint, nearIdentical } from "../../src/domain/posts/duplicates/fingerprint.ts";
import { cpuMsOf } from "../support/run/cpu.ts";

const near = (a: string, b: string) => nearIdentical(fingerprint(a), fingerprint(b));

const POST =
  "Secondhand cargo bike for sale in Utrecht. Bought in 2023, 3100 km, new brakes and a rain cover, " +
  "fits two children. Can be tried any evening this week near the central station, price 1900 euros.";

describe("fingerprint", () => {
  it("is 16 hex digits, whatever the text", () => {
    for (const text of [POST, "", " ", "!!!", "😀", "中文"])
      expect(fingerprint(text)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is the same for the same text", () => {
    expect(fingerprint(POST)).toBe(fingerprint(POST));
  });

  it("takes milliseconds for 8,000 characters of anything", () => {
    for (const unit of ["a", "a ", "1.", "中", "e\u0301", "😀", "-"]) {
      const text = unit.repeat(8000 / unit.length);
      // The best of five: a busy machine slows single runs, a quadratic step all of them.
      const times = Array.from({ length: 5 }, () => cpuMsOf(() => fingerprint(text)));
      expect(Math.min(...times), unit).toBeLessThan(40);
    }
  });
});

describe("nearIdentical", () => {
  it.each([
    ["a changed number", POST.replace("1900", "1850")],
    ["emoji", `🚲🚲 ${POST} 🔥`],
    ["punctuation and case", POST.toUpperCase().replaceAll(".", " !!").replaceAll(",", " -")],
    ["accents", POST.replace("central", "céntral")],
    ["one changed word", POST.replace("children", "dogs")],
    ["another changed word", POST.replace("Utrecht", "Arnhem")],
    ["a word more", `${POST} Thanks`],
  ])("sees through %s", (_, other) => {
    expect(near(POST, other)).toBe(true);
  });

  it("sees through a changed number in a short text", () => {
    expect(near("Room for 400 euros", "Room for 450 euros!!")).toBe(true);
  });

  it("tells different posts apart", () => {
    const posts = [
      POST,
      "Electric cargo bike wanted in Utrecht, with room for two children and a dog. Budget about 2500 euros.",
      "Repair evening for bikes at the central station of Utrecht, every Thursday, bring your own parts.",
      "Piano lessons in Leeds",
      "Piano lessons in York",
      "Piano tuner wanted",
      "房间出租，靠近地铁站",
      "求购二手自行车，价格合理",
    ];
    posts.forEach((post, index) => {
      for (const other of posts.slice(index + 1)) expect(near(post, other), `${post} | ${other}`).toBe(false);
    });
  });
});
