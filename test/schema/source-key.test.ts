import { describe, expect, it } from "vitest";
import { sourceKey } from "../../src/schema/source-key.ts";

describe("sourceKey", () => {
  it.each([
    "https://example.org/talks/7?id=3&room=b",
    "http://example.org/talks/7?id=3&room=b",
    "https://www.EXAMPLE.org/talks/7/?room=b&id=3",
    "https://example.org:443/talks/7?id=3&room=b#speakers",
    "http://example.org:80/talks/7?id=3&room=b",
    "https://example.org/talks/7?utm_source=x&utm_medium=y&id=3&UTM_Campaign=z&room=b",
    "https://example.org/talks/7?id=3&gclid=1&fbclid=2&msclkid=3&room=b&yclid=4&ysclid=5&igsh=6&igshid=7&twclid=8",
    "https://example.org/talks/7?mc_cid=1&mc_eid=2&_hsenc=3&_hsmi=4&mkt_tok=5&srsltid=6&_ga=7&_gl=8&id=3&room=b",
    "https://m.example.org/talks/7/index.html?id=3&ref=selfh.st&via=x&si=1&source=2&__twitter_impression=true&room=b",
  ])("is the same for %s", (url) => {
    expect(sourceKey(url)).toBe("example.org/talks/7?id=3&room=b");
  });

  it.each([
    "https://example.org/talks/8?id=3&room=b",
    "https://example.org/talks/7?id=4&room=b",
    "https://example.org/Talks/7?id=3&room=b",
    "https://example.org:8443/talks/7?id=3&room=b",
    "https://de.example.org/talks/7?id=3&room=b",
    "https://example.org/talks/7",
    "https://example.org/talks/7?id=3&room=b&page=2",
    "https://example.org/talks/7?id=3&room=b&ref=7&source=1&aff=2&gate=3",
    "https://example.org/talks/7?id=3&room=b&gclids=1",
    "https://example.org/talks/7?id=3&room=b&no_utm_source=1",
  ])("is another for %s", (url) => {
    expect(sourceKey(url)).not.toBe("example.org/talks/7?id=3&room=b");
  });

  it("names pages with letters beyond ASCII, however many were read before", () => {
    const urls = Array.from({ length: 20_000 }, (_, n) => `https://münchen.example/straße/${n}`);
    expect(urls.filter((url) => sourceKey(url) === null)).toEqual([]);
  });

  it("keeps every parameter that may name the page, and is null for what is no web address", () => {
    expect(sourceKey("https://x.org/?v=1&p=2&id=3&q=4&lang=5&start=6&list=7&article_id=8")).toBe(
      "x.org?article_id=8&id=3&lang=5&list=7&p=2&q=4&start=6&v=1",
    );
    for (const text of ["", "example.org/a", "mailto:a@example.org", "https://"])
      expect(sourceKey(text)).toBeNull();
  });
});
