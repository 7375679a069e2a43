import { describe, expect, it } from "vitest";
import { HttpUrl } from "../../src/schema/scalars.ts";
import { sourceKey } from "../../src/schema/source-key.ts";

describe("a web address", () => {
  it("may have letters beyond ASCII, however many were read before", () => {
    const urls = Array.from({ length: 20_000 }, (_, n) => `https://münchen.example/straße/${n}`);
    expect(urls.filter((url) => !HttpUrl.safeParse(url).success)).toEqual([]);
    expect(urls.filter((url) => sourceKey(url) === null)).toEqual([]);
  });
});
