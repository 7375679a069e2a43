import { beforeAll, describe, expect, it } from "vitest";
import { writtenTexts } from "../../bench/board/texts.ts";
import { type PostVectors, postVectors } from "../../bench/board/vectors.ts";
import { measureLoad } from "../../bench/search-load.ts";
import { measureSize } from "../../bench/search-speed.ts";

const texts = writtenTexts();
let vectors: PostVectors;
beforeAll(async () => {
  vectors = await postVectors(texts);
});

describe("bench/search-speed", () => {
  it("measures every series, the first answer of a new process, and recall", async () => {
    const own = await measureSize({ count: 400, texts, vectors }, { peers: [], recall: true });
    for (const { name, times, found } of own.series) {
      expect(times.p95, name).toBeGreaterThan(0);
      if (!name.includes("narrow")) expect(found, name).toBeGreaterThan(1);
    }
    expect(own.first.ms).toBeGreaterThan(0);
    expect(own.diskBytes).toBeGreaterThan(400 * 384);
    expect(own.recall?.at10).toBeGreaterThan(0.99);
    expect(own.recall?.at100).toBeGreaterThan(0.97);
  });
});

describe("bench/search-load", () => {
  it("searches a board from outside and hears of its event loop", async () => {
    const asked = { posts: 400, clients: 2, seconds: 1, model: false };
    const { alone, together } = await measureLoad(asked, texts, vectors);
    expect(alone.read).toBeNull();
    expect(together.searchesPerSecond).toBeGreaterThan(1);
    expect(together.read?.p50).toBeGreaterThan(0);
    expect(together.loop.p99).toBeGreaterThan(0);
    expect(together.loop.cpu).toBeGreaterThan(0);
  });
});
