import { describe, expect, it } from "vitest";
import { boardPosts, firstOf, inBatches, PUBLISHERS } from "../../bench/board/posts.ts";
import { writtenTexts } from "../../bench/board/texts.ts";
import { postVectors } from "../../bench/board/vectors.ts";
import { vocabulary } from "../../bench/board/vocabulary.ts";
import { seeded } from "../../bench/support/random.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import { cosineOf } from "../../src/search/vectors.ts";

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const COUNT = 4_000;
const texts = writtenTexts();
const vectors = await postVectors(texts);
const posts = [...boardPosts({ count: COUNT, texts, vectors, now: NOW })];
const entries = posts.map(({ entry }) => entry);
const share = (of: (entry: (typeof entries)[number]) => boolean) => entries.filter(of).length / COUNT;

describe("the vocabulary of the benches", () => {
  const { words, rareShare, draw } = vocabulary();

  it("has words as frequent as the addresses they were counted in", () => {
    expect(words.length).toBeGreaterThan(14_000);
    expect(words[0]).toEqual({ word: "the", count: 151_266 });
    expect(rareShare).toBeCloseTo(12_455 / 1_794_355, 6);
    const all = words.reduce((sum, { count }) => sum + count, 0);
    expect(all).toBe(1_794_355 - 12_455);
    for (const [rank, { count }] of words.entries()) {
      expect(count).toBeLessThanOrEqual(words[rank - 1]?.count ?? count);
    }
  });

  it("is drawn from by these frequencies", () => {
    const DRAWN = 200_000;
    const random = seeded(5);
    const drawn = new Map<string, number>();
    for (let n = 0; n < DRAWN; n += 1) {
      const word = draw(random);
      drawn.set(word, (drawn.get(word) ?? 0) + 1);
    }
    const all = words.reduce((sum, { count }) => sum + count, 0);
    for (const rank of [0, 1, 9, 99, 499]) {
      const { word = "", count = 0 } = words[rank] ?? {};
      const expected = (count / all) * (1 - rareShare - 1 / 40) * DRAWN;
      // Four standard deviations of a count.
      expect(Math.abs((drawn.get(word) ?? 0) - expected)).toBeLessThan(4 * Math.sqrt(expected));
    }
    const numbers = [...drawn].filter(([word]) => /^\d+$/.test(word)).reduce((sum, [, n]) => sum + n, 0);
    expect(numbers / DRAWN).toBeCloseTo(1 / 40, 2);
    expect(drawn.size).toBeGreaterThan(10_000);
  });
});

describe("a board of the benches", () => {
  it("is the same at every run", async () => {
    const again = boardPosts({
      count: COUNT,
      texts: writtenTexts(),
      vectors: await postVectors(texts),
      now: NOW,
    });
    expect([...firstOf(again, 50)]).toEqual(posts.slice(0, 50));
  });

  it("has posts of some sixty words, as the collections' posts have", () => {
    const words = entries.map(
      ({ title, body, tags }) => `${title} ${body} ${tags.join(" ")}`.split(/\s+/).length,
    );
    const mean = words.reduce((sum, count) => sum + count, 0) / COUNT;
    expect(mean).toBeGreaterThan(56);
    expect(mean).toBeLessThan(68);
  });

  it("has five kinds, places, dates, expired and syndicated posts in their shares", () => {
    expect(new Set(entries.map(({ kind }) => kind)).size).toBe(5);
    expect(share(({ lat }) => lat !== null)).toBeCloseTo(0.8, 1);
    expect(share(({ expiresAt }) => expiresAt <= NOW)).toBeCloseTo(0.1, 1);
    expect(share(({ syndicated }) => syndicated)).toBeCloseTo(0.5, 1);
    expect(share(({ windowStart, createdAt }) => windowStart !== createdAt)).toBeGreaterThan(0.2);
    expect(new Set(entries.flatMap(({ tags }) => tags)).size).toBeGreaterThan(300);
    expect(new Set(entries.map(({ publisherId }) => publisherId)).size).toBeGreaterThan(PUBLISHERS / 2);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(COUNT);
  });

  it("grew over sixty days, oldest first", () => {
    const times = entries.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBe(NOW - 60 * DAY_MS);
    expect(times.at(-1)).toBeLessThan(NOW);
  });

  it("has unit vectors, some of which are close to each other and most are not", () => {
    const some = posts.slice(0, 200).map(({ vector }) => vector ?? new Int8Array());
    for (const vector of some) expect(cosineOf(vector, vector)).toBeCloseTo(1, 1);
    const cosines = some.flatMap((a, i) => some.slice(i + 1).map((b) => cosineOf(a, b)));
    const near = cosines.filter((cosine) => cosine > 0.4).length / cosines.length;
    expect(near).toBeGreaterThan(0.0005);
    expect(near).toBeLessThan(0.1);
  });

  it("is asked 12 queries of 2 to 4 telling words, and 60 of about ten", () => {
    const telling = (query: string) => parseQueryText(query).any.length;
    expect(texts.short.map(telling).sort()).toEqual([2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    const long = texts.long.map(telling);
    const mean = long.reduce((sum, count) => sum + count, 0) / long.length;
    expect(long.length).toBe(60);
    expect(mean).toBeGreaterThan(8);
    expect(mean).toBeLessThan(13);
    for (const query of [...texts.short, ...texts.long]) expect(vectors.queries.get(query)?.length).toBe(384);
  });
});

describe("inBatches", () => {
  it("gives a list in pieces, the last one smaller", () => {
    expect([...inBatches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
    expect([...inBatches([], 2)]).toEqual([]);
  });
});
