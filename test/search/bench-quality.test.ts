import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardPosts } from "../../bench/board/posts.ts";
import { writtenTexts } from "../../bench/board/texts.ts";
import { postVectors } from "../../bench/board/vectors.ts";
import { NOW, narrow, passes, questionsOf } from "../../bench/search-speed/questions.ts";
import { ExactRanking, recallAt } from "../../bench/support/exact-ranking.ts";
import { IndexUnderTest } from "../../bench/support/index-under-test.ts";

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
});
