import { describe, expect, it } from "vitest";
import { refuseBoardKeys } from "../../src/domain/board-keys.ts";
import { newApiKey } from "../../src/domain/secrets.ts";

const refuses = (input: unknown): boolean => {
  try {
    refuseBoardKeys(input);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "contains_api_key" });
    return true;
  }
};

describe("refuseBoardKeys", () => {
  const key = newApiKey();
  const half = key.slice(0, 20);
  const rest = key.slice(20);
  const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");

  it("tells a key from other text by its last six characters, the CRC-32 of those before", () => {
    const known = ["bbk", "AbCdEfGhIjKlMnOpQrStUvWxYz012345"];
    expect(refuses({ title: [...known, "2DzqnZ"].join(" ") })).toBe(true);
    expect(refuses({ title: [...known, "2DzqnY"].join(" ") })).toBe(false);
  });

  it.each([
    ["alone", key],
    ["in a sentence", `My key is ${key}.`],
    ["beside another script", `密钥${key}`],
    ["in a word", `x${key}y`],
    ["in a query string", `https://a.example/?k=${key}&b=1`],
    ["percent-encoded", `https://a.example/?k=${key.replace("_", "%5F").replace("b", "%62")}`],
    ["split by a zero-width space", `${half}\u200b${rest}`],
    ["split by a soft hyphen and a variation selector", `${half}\u00ad\ufe0f${rest}`],
    ["split by combining marks", `${half}\u0332\u034f${rest}`],
    ["wrapped over lines", `${half}\n    ${rest}`],
    ["in groups", key.match(/.{1,6}/g)?.join(" - ")],
    [
      "in full-width letters",
      key.replace(/[0-9A-Za-z_]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0)),
    ],
    ["after other keys' beginnings", `bbk_bbk_bbk_${key}`],
    ["with a typing error", mistyped],
    ["with a typing error, split by what nobody sees", `${mistyped.slice(0, 9)}\u200b${mistyped.slice(9)}`],
    ["with a typing error, under a line of combining marks", [...mistyped].join("\u0332")],
    ["with a typing error, percent-encoded", mistyped.replace("_", "%5f")],
  ])("finds a key %s", (_, text) => {
    expect(refuses({ title: text })).toBe(true);
  });

  it("looks into every field, name and list", () => {
    for (const input of [
      { metadata: { deep: [{ note: `\n${key}` }] } },
      { metadata: { [key]: 1 } },
      { query: { tags: ["bike", key] } },
      { title: half, body: rest },
      { metadata: { list: key.match(/.{1,3}/g) } },
    ]) {
      expect(refuses(input)).toBe(true);
    }
  });

  it("lets through what is no key", () => {
    // A text is read together with the name of the next field, and a "t" there may complete a key that was cut.
    const key = Array.from({ length: 100 }, newApiKey).find((made) => !made.endsWith("t")) ?? "";
    for (const text of [
      "",
      "bbk_",
      "Keys begin with bbk_ and have 42 characters.",
      `${key.slice(0, -1)}`,
      `x${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`,
      "bbk".repeat(2_600),
      ...[37, 39].map((length) => `bbk_${"a".repeat(length)}`),
      "A".repeat(8_000),
    ]) {
      expect(refuses({ title: text, n: 1, none: null, left: undefined })).toBe(false);
    }
  });
});
