import { describe, expect, it } from "vitest";
import { HttpUrl } from "../../src/schema/scalars.ts";
import { sourceKey } from "../../src/schema/source-key.ts";

describe("a web address", () => {
  it("may have letters beyond ASCII, however many were read before", () => {
    const urls = Array.from({ length: 20_000 }, (_, n) => `https://münchen.example/straße/${n}`);
    expect(urls.filter((url) => !HttpUrl.safeParse(url).success)).toEqual([]);
    expect(urls.filter((url) => sourceKey(url) === null)).toEqual([]);
  });

  it("has at most 1,000 characters, and neither a name nor a password", () => {
    const isTaken = (url: string) => HttpUrl.safeParse(url).success;
    const start = "https://a.example/";
    expect([1_000, 1_001].map((chars) => isTaken(start.padEnd(chars, "x")))).toEqual([true, false]);
    expect(["me@", "me:pass@", ":pass@"].map((who) => isTaken(`https://${who}a.example/`))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
