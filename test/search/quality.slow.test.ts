import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardPosts } from "../../bench/board/posts.ts";
import { writtenTexts } from "../../bench/board/texts.ts";
import { postVectors } from "../../bench/board/vectors.ts";
import { measure } from "../../bench/search-quality.ts";
import { NOW, narrow, passes, questionsOf } from "../../bench/search-speed/questions.ts";
import { notices } from "../../bench/support/corpus.ts";
import { ExactRanking, recallAt } from "../../bench/support/exact-ranking.ts";
import { IndexUnderTest } from "../../bench/support/index-under-test.ts";
import { openModel } from "../../bench/support/model.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { PostParts } from "../../src/schema/text.ts";
import { quantize } from "../../src/search/ranking/vectors.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { anEntry } from "../support/search/open-index.ts";

let embedder: Embedder;
beforeAll(async () => {
  embedder = await openModel();
});
afterAll(() => embedder.close());

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
});

describe("the benchmark of search quality", () => {
  it("gives a perfect score to a perfect answer", async () => {
    const docs = [
      { _id: "cat", title: "Lost cat", text: "Grey, very shy, answers to no name." },
      { _id: "bike", title: "Road bike, 56 cm", text: "Steel frame, new tyres." },
    ];
    const gains = new Map([["1", new Map([["cat", 1]])]]);
    const rows = await measure({ docs, queries: [{ _id: "1", text: "lost cat" }], gains }, embedder, [0.25]);
    expect(rows.map(({ method }) => method)).toEqual(["words", "meaning", "hybrid", "hybrid+rerank"]);
    for (const { quality } of rows) expect(quality).toEqual({ ndcg10: 1, recall100: 1 });
  });
});

const WAITING = 1_000;
const EMBEDDED = 150;

/** Words that no other post has: made-up ones, which mean nothing to the model, and real ones. */
const UNIQUE = [
  ["Zwonkelfit", "Zwonkelfit meets on Mondays"],
  ["KX-4471", "Spare part KX-4471 for an old lathe"],
  ["theremin", "Box of cables, plugs and a theremin"],
  ["quokka", "Plush animals, among them a quokka, to a good home"],
] as const;

describe(`with ${WAITING} posts waiting for their vectors`, () => {
  let index: IndexUnderTest;
  const texts = notices(WAITING + EMBEDDED, 0).map((notice, at) => ({
    id: `n${String(at).padStart(4, "0")}`,
    title: notice["title"] as string,
    body: notice["body"] as string,
  }));

  beforeAll(async () => {
    index = new IndexUnderTest(embedder);
    const rows = texts.map((text) => ({ entry: anEntry(text), vector: null }));
    index.put(rows);
    for (const { entry } of rows.slice(0, EMBEDDED)) index.putVector(entry.id, await vectorOf(entry));
    index.put(UNIQUE.map(([word, title]) => ({ entry: anEntry({ id: word, title }), vector: null })));
  });
  afterAll(() => index.close());

  const vectorOf = async (entry: PostParts) => {
    const [vector] = await embedder.embed([entry], "post");
    return quantize(vector ?? new Float32Array());
  };
  const firstFor = async (q: string, rerank: boolean) => {
    const [vector] = await embedder.embed([q], "query");
    const meaning = quantize(vector ?? new Float32Array());
    const asked = aQuestion({ q, vector: meaning, minCosine: embedder.scale.minCosine });
    return (await index.rank(asked, { rerank }))[0];
  };

  const expectFirst = async (rerank: boolean) => {
    for (const [word] of UNIQUE) expect(await firstFor(word, rerank)).toBe(word);
  };

  it("a post is first for a word that only it has, before it has its own vector", async () => {
    await expectFirst(true);
    await expectFirst(false);
  });

  it("such a post stays first with its vector, whatever that is near to", async () => {
    for (const [word, title] of UNIQUE) index.putVector(word, await vectorOf(anEntry({ id: word, title })));
    await expectFirst(true);
    await expectFirst(false);
  });
});
