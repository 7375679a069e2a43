import { describe, expect, it } from "vitest";
import { plainWords, sourceKey } from "../../src/schema/source-key.ts";

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
    "https://example.org/talks/7//INDEX.HTM?id=3&room=b",
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

  it.each([
    "utm_x mtm_x pk_x piwik_x matomo_x hsa_x stm_x ga_x _ga _gl gclid gclsrc dclid gbraid wbraid gad_x srsltid",
    "fbclid fb_x igsh igshid msclkid yclid ysclid twclid ref_src ref_url ttclid li_fat_id epik mc_cid mc_eid",
    "_hsenc _hsmi __hsx hsctatracking mkt_tok vero_id vero_conv oly_anon_id oly_enc_id s_cid cmpid icid __s _kx",
    "_openstat wickedid rb_clickid irclickid cjevent ref via si source __twitter_impression GCLID",
  ])("is the same with parameters that track: %s", (names) => {
    for (const name of names.split(" ")) expect(sourceKey(`https://x.org/a?${name}=1`), name).toBe("x.org/a");
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

describe("plainWords", () => {
  it("are those of a title in any case, form of letters and punctuation", () => {
    const titles = ["Café: ﬁrst & “last”!", "  CAFE\u0301 — First  ＆ last", "café first last"];
    for (const title of titles) expect(plainWords(title)).toBe("café first last");
    expect(plainWords("Cafe, first, last")).toBe("cafe first last");
  });
});
