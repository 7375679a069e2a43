import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cursors, cutPage, decodeCursor, encodeCursor } from "../../src/domain/cursors.ts";
import { Secrets } from "../../src/domain/secrets.ts";

const KEY = "a key";

describe("cursors", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (payload) => {
        const text = encodeCursor(payload, KEY);
        fc.pre(text.length <= 2000);
        expect(text).toMatch(/^[\w-]+$/);
        expect(decodeCursor(text, KEY)).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
    );
  });

  it("are null when a character changed, is missing or was added", () => {
    const text = encodeCursor(["newest", 5, "abc"], KEY);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === "A" ? "B" : "A";
      expect(decodeCursor(text.slice(0, at) + other + text.slice(at + 1), KEY)).toBeNull();
      expect(decodeCursor(text.slice(0, at) + text.slice(at + 1), KEY)).toBeNull();
    }
    // The last of these characters has bits to spare: sixteen spell the same bytes.
    const short = encodeCursor(1, KEY);
    const read = [..."AQgwBRhxCSiyDTjz"].filter(
      (end) => decodeCursor(short.slice(0, -1) + end, KEY) !== null,
    );
    expect(read).toEqual([short.at(-1)]);
    expect(decodeCursor(`${text}=`, KEY)).toBeNull();
    expect(decodeCursor(` ${text}`, KEY)).toBeNull();
  });

  it("are null under another key, oversized, and for any junk", () => {
    expect(decodeCursor(encodeCursor(1, KEY), "another key")).toBeNull();
    // 1,489 signs make a cursor of 2,000 characters.
    expect(decodeCursor(encodeCursor("x".repeat(1_489), KEY), KEY)).toHaveLength(1_489);
    expect(decodeCursor(encodeCursor("x".repeat(1_490), KEY), KEY)).toBeNull();
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => decodeCursor(text, KEY) === null));
  });
});

describe("the cursors of a list", () => {
  const cursors = new Cursors(Buffer.from(KEY));
  const invalid = expect.objectContaining({ code: "invalid_cursor" });
  const position = { at: 5, id: "abc" };

  it("hold a place by time and id, and how many were shown before it", () => {
    const [plain, counted] = [cursors.writePosition("a", position), cursors.writePosition("a", position, 7)];
    for (const cursor of [plain, counted]) expect(cursors.readPosition("a", cursor)).toEqual(position);
    expect([plain, counted, undefined].map((cursor) => cursors.readShown("a", cursor))).toEqual([0, 7, 0]);
    expect(cursors.readPosition("a", undefined)).toBeNull();
  });

  it("hold a number, which may be 0", () => {
    for (const number of [0, 41]) expect(cursors.readNumber("a", cursors.write("a", [number]))).toBe(number);
    expect(cursors.readNumber("a", undefined)).toBeNull();
  });

  it("are refused where they are of another list, or of another form", () => {
    const [number, place] = [cursors.write("a", [5]), cursors.writePosition("a", position)];
    expect(() => cursors.readNumber("b", number)).toThrow(invalid);
    expect(() => cursors.readPosition("b", place)).toThrow(invalid);
    expect(() => cursors.readPosition("a", number)).toThrow(invalid);
    expect(() => cursors.readNumber("a", cursors.write("a", ["5"]))).toThrow(invalid);
  });

  it("end a page with its last row where one more was found, and with none where it is the last", () => {
    expect(cutPage([1, 2, 3], 2)).toEqual({ shown: [1, 2], last: 2 });
    expect(cutPage([1, 2], 2)).toEqual({ shown: [1, 2], last: null });
    expect(cutPage([1], 0)).toEqual({ shown: [], last: null });
  });
});

describe("sealed text", () => {
  it("opens whole, under its key and for its owner alone, and never reads the same twice", () => {
    const secrets = new Secrets(KEY);
    for (const text of ["", "a secret"]) {
      const sealed = secrets.seal(text, "owner");
      const bytes = Buffer.from(sealed, "base64url");
      expect(secrets.unseal(sealed, "owner")).toBe(text);
      expect(secrets.seal(text, "owner")).not.toBe(sealed);
      expect([secrets.unseal(sealed, "another"), new Secrets("b").unseal(sealed, "owner")]).toEqual([
        null,
        null,
      ]);
      for (let length = 0; length < bytes.length; length += 1)
        expect(secrets.unseal(bytes.subarray(0, length).toString("base64url"), "owner")).toBeNull();
    }
  });
});
