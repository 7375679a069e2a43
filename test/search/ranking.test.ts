import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measure } from "../../bench/search-quality.ts";
import { MODELS } from "../../src/embed/models.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Question } from "../../src/ports/search-index.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import { quantize } from "../../src/search/vectors.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { DatabaseSync } from "../../src/sqlite.ts";
import { OPEN_FILTER } from "../support/boards/questions.ts";

const NOTICES = {
  cello: ["Full-size cello for sale", "Played in an orchestra for ten years, with bow and case."],
  violin: ["Violin to rent", "A good instrument for a student, by the month."],
  bass: ["Wanted: double bass", "Any condition, I repair it myself."],
  bike: ["Road bike, 56 cm", "Steel frame, new tyres."],
  cargo: ["Bakfiets te koop", "Cargo bike with room for two children."],
  cat: ["Lost cat", "Grey, very shy, answers to no name."],
} as const;

let embedder: Embedder;
let index: EmbeddedIndex;
const folder = mkdtempSync(join(tmpdir(), "ranking-"));
const database = new DatabaseSync(join(folder, "board.db"));

beforeAll(async () => {
  const cacheDir = join(homedir(), ".cache", "agent-board", "models");
  const { MODEL_DIR: modelDir = cacheDir } = process.env;
  const log = { info() {}, warn() {} };
  embedder = openEmbedder({ mode: "required", model: MODELS[0], modelDir, cacheDir, log });
  expect(await embedder.settled()).toBe("ready");
  index = new EmbeddedIndex(embedder);
  for (const statement of index.migrations) database.exec(statement);
  index.attach(database);
  for (const [id, [title, body]] of Object.entries(NOTICES)) {
    const entry = { ...POST, id, title, body };
    index.put(entry);
    const [vector] = await embedder.embed([entry], "post");
    if (vector !== undefined) index.putVector(id, embedder.modelId, quantize(vector));
  }
  index.committed();
});

afterAll(async () => {
  await embedder.close();
  database.close();
  rmSync(folder, { recursive: true });
});

describe("a ranking", () => {
  it("puts words and meaning together: what has both comes first, what has one follows", async () => {
    const ranked = await rank("cello instrument");
    const ids = ranked.map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual(["cello", "violin"]);
    expect(ids).not.toContain("cat");
  });

  it("finds by meaning what shares no word", async () => {
    const ranked = await rank("bicycle");
    expect(
      ranked
        .map(({ id }) => id)
        .slice(0, 2)
        .sort(),
    ).toEqual(["bike", "cargo"]);
  });

  it.each([true, false])("gives relevance in 0…1 that never rises (rerank %s)", async (rerank) => {
    const ranked = await rank("stringed instrument for sale", { rerank });
    expect(ranked.length).toBeGreaterThan(2);
    for (const [i, { relevance }] of ranked.entries()) {
      expect(relevance).toBeGreaterThanOrEqual(0);
      expect(relevance).toBeLessThanOrEqual(ranked[i - 1]?.relevance ?? 1);
    }
  });

  it("continues where it stopped, with the same relevance, when told what was shown", async () => {
    const all = await rank("stringed instrument for sale");
    const first = await rank("stringed instrument for sale", { limit: 2 });
    const shown = new Set(first.map(({ id }) => id));
    const rest = await rank("stringed instrument for sale", { except: shown });
    expect([...first, ...rest]).toEqual(all);
  });

  it("returns nothing for nonsense, and never what is excluded", async () => {
    expect(await rank("asdfghjkl qwertyuiop")).toEqual([]);
    expect(await rank("!!!")).toEqual([]);
    const ranked = await rank("musical instrument -cello");
    expect(ranked.map(({ id }) => id)).not.toContain("cello");
    expect(ranked.length).toBeGreaterThan(0);
  });

  it("works without a model, by words alone", async () => {
    const ranked = await rank("bike", { meaning: false });
    expect(ranked.map(({ id }) => id).sort()).toEqual(["bike", "cargo"]);
  });
});

describe("the benchmark of search quality", () => {
  it("gives a perfect score to a perfect answer", async () => {
    const docs = Object.entries(NOTICES).map(([_id, [title, text]]) => ({ _id, title, text }));
    const gains = new Map([["1", new Map([["cat", 1]])]]);
    const rows = await measure({ docs, queries: [{ _id: "1", text: "lost cat" }], gains }, embedder, [0.25]);
    expect(rows.map(({ method }) => method)).toEqual(["words", "meaning", "hybrid", "hybrid+rerank"]);
    for (const { quality } of rows) expect(quality).toEqual({ ndcg10: 1, recall100: 1 });
  });
});

const POST = {
  kind: "offer" as const,
  tags: [],
  placeName: null,
  lat: null,
  lng: null,
  windowStart: 0,
  windowEnd: 1,
  expiresAt: 1,
  createdAt: 0,
  publisherId: "pub_1",
  parentId: null,
  syndicated: false,
  source: null,
};

async function rank(
  q: string,
  { rerank = true, limit = 100, except = new Set<string>() as ReadonlySet<string>, meaning = true } = {},
) {
  const words = parseQueryText(q);
  const [vector] = meaning && words.plain !== "" ? await embedder.embed([words.plain], "query") : [];
  const question: Question = {
    filter: {
      ...OPEN_FILTER,
      includeExpired: false,
      now: 0,
      createdUntil: 0,
    },
    words,
    vector: vector === undefined ? null : quantize(vector),
    minCosine: embedder.scale.minCosine,
  };
  return index.rank(question, { rerank, limit, except });
}
