import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardPosts } from "../../bench/board/posts.ts";
import { writtenTexts } from "../../bench/board/texts.ts";
import { postVectors } from "../../bench/board/vectors.ts";
import { NOW, narrow, passes, questionsOf } from "../../bench/search-speed/questions.ts";
import { ExactRanking, recallAt } from "../../bench/support/exact-ranking.ts";
import { IndexUnderTest } from "../../bench/support/index-under-test.ts";
import { differences, type SavedQuality } from "../../bench/support/saved-quality.ts";

describe("the exact ranking of the benches", () => {
  const COUNT = 600;
  const texts = writtenTexts();
  let exact: ExactRanking;
  let index: IndexUnderTest;
  let vectors: Awaited<ReturnType<typeof postVectors>>;
  let posts: ReturnType<typeof boardPosts> extends Generator<infer Post> ? Post[] : never;
  beforeAll(async () => {
    vectors = await postVectors(texts);
    posts = [...boardPosts({ count: COUNT, texts, vectors, now: NOW })];
    exact = new ExactRanking(posts);
    index = new IndexUnderTest({ modelId: "bench", dimension: 384 });
    index.put(posts);
  });
  afterAll(async () => {
    exact.close();
    await index.close();
  });

  it("is found whole by the board's own index, with and without filters", async () => {
    let wanted = 0;
    for (const filter of [undefined, narrow]) {
      for (const question of questionsOf([...texts.short, ...texts.long], vectors, filter && { filter })) {
        const passed = posts.map(({ entry }) => passes(question.filter, entry));
        const ranked = exact.rank(question, (at) => passed[at] ?? false, { rerank: false });
        const found = await index.rank(question, { rerank: false, limit: 100 });
        expect(recallAt(10, found, ranked)).toBeGreaterThanOrEqual(0.9);
        expect(recallAt(100, found, ranked)).toBeGreaterThanOrEqual(0.97);
        wanted += Math.min(100, ranked.length);
      }
    }
    expect(wanted).toBeGreaterThan(5_000);
  });

  it("puts first what is nearest to the moved query, when asked to rerank", () => {
    const [question] = questionsOf(texts.long, vectors);
    if (question === undefined) throw new Error("no question");
    const [plain, again] = [false, true].map((rerank) => exact.rank(question, () => true, { rerank }));
    expect(again?.map(({ id }) => id)).not.toEqual(plain?.map(({ id }) => id));
    expect(new Set(again?.map(({ id }) => id))).toEqual(new Set(plain?.map(({ id }) => id)));
  });

  it("counts what of its beginning was found", () => {
    const ranked = ["a", "b", "c", "d"].map((id, at) => ({ id, score: 1 - at / 10 }));
    expect(recallAt(2, ["b", "x", "a"], ranked)).toBe(0.5);
    expect(recallAt(10, ["d", "c", "b", "a"], ranked)).toBe(1);
    expect(recallAt(10, [], [])).toBe(1);
  });
});

describe("two saved runs", () => {
  const saved = (run: SavedQuality["run"], ndcg10 = 0.5236): SavedQuality[] => [
    { collection: "cacm", method: "hybrid", minCosine: 0.25, ndcg10, run },
  ];
  const before = saved({
    q1: [
      ["a", 0.9],
      ["b", 0.5],
      ["c", 0.5],
    ],
    q2: [["d", 0.1]],
  });

  it("do not differ by the order of equal scores", () => {
    const after = saved(
      {
        q1: [
          ["a", 0.9],
          ["c", 0.5],
          ["b", 0.5000001],
        ],
        q2: [["d", 0.1]],
      },
      0.5238,
    );
    expect(differences(before, after)).toEqual({ queries: 2, lines: [] });
  });

  it("differ by another order, a post that is missing, and another nDCG", () => {
    const after = saved(
      {
        q1: [
          ["b", 0.5],
          ["a", 0.9],
          ["c", 0.5],
        ],
        q2: [],
      },
      0.5229,
    );
    const { lines } = differences(before, after);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain("nDCG@10 0.524 before, 0.523 now");
    expect(lines[1]).toContain("query q1: rank 1 was a");
    expect(lines[2]).toContain("query q2: rank 1 was d");
  });

  it("differ when one has a method that the other lacks", () => {
    expect(differences(before, []).lines).toEqual(["cacm hybrid 0.25: not measured"]);
  });
});
