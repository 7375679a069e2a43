import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notices } from "../../bench/support/corpus.ts";
import { IndexUnderTest } from "../../bench/support/index-under-test.ts";
import { MODELS } from "../../src/embed/models.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { PostParts } from "../../src/schema/text.ts";
import { quantize } from "../../src/search/vectors.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { post } from "../support/search/open-index.ts";

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
  let embedder: Embedder;
  let index: IndexUnderTest;
  const texts = notices(WAITING + EMBEDDED, 0).map((notice, at) => ({
    id: `n${String(at).padStart(4, "0")}`,
    title: notice["title"] as string,
    body: notice["body"] as string,
  }));

  beforeAll(async () => {
    const cacheDir = join(homedir(), ".cache", "agent-board", "models");
    const { MODEL_DIR: modelDir = cacheDir } = process.env;
    const log = { info() {}, warn() {} };
    embedder = openEmbedder({ mode: "required", model: MODELS[0], modelDir, cacheDir, log });
    expect(await embedder.settled()).toBe("ready");
    index = new IndexUnderTest(embedder);
    const rows = texts.map((text) => ({ entry: post(text), vector: null }));
    index.put(rows);
    for (const { entry } of rows.slice(0, EMBEDDED)) index.putVector(entry.id, await vectorOf(entry));
    index.put(UNIQUE.map(([word, title]) => ({ entry: post({ id: word, title }), vector: null })));
  });
  afterAll(async () => {
    await index.close();
    await embedder.close();
  });

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

  it("and stays first with its vector, whatever that is near to", async () => {
    for (const [word, title] of UNIQUE) index.putVector(word, await vectorOf(post({ id: word, title })));
    await expectFirst(true);
    await expectFirst(false);
  });
});
