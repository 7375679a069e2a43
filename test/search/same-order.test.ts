import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notices, QUERIES } from "../../bench/support/corpus.ts";
import { seeded } from "../../bench/support/random.ts";
import { MODELS } from "../../src/embed/models.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Question, SearchIndex } from "../../src/ports/search-index.ts";
import type { Store, StoredPost } from "../../src/ports/store/index.ts";
import { quantize } from "../../src/search/vectors.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { binaryOf, documentOfPost } from "../../src/store/mongodb/database/posts.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { openReplica, type Replica } from "../../src/store/mongodb/search/replica/index.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const POSTS = 5_000;
const ASKED = 200;
/** This many posts, and all of `QUERIES`, get their vectors from the model; the others from a generator. */
const BY_MODEL = 200;
const T0 = Date.UTC(2026, 10, 20, 12);

const database = await mongodbFor("replicaSet", "same_order");

describe.skipIf(database === null)("the same posts beside SQLite and beside MongoDB", () => {
  const folder = mkdtempSync(join(tmpdir(), "same-order-"));
  let embedder: Embedder;
  let sqlite: { store: Store; index: SearchIndex };
  let mongodb: { store: MongodbStore; index: Replica };
  let questions: Question[] = [];

  beforeAll(async () => {
    const log = { info() {}, warn() {} };
    const modelDir = process.env["MODEL_DIR"] ?? folder;
    embedder = openEmbedder({ mode: "required", model: MODELS[0], modelDir, cacheDir: modelDir, log });
    expect(await embedder.settled()).toBe("ready");
    const posts = notices(POSTS, T0).map(postOf);
    const vectors = await vectorsOf(embedder, posts);
    questions = await someQuestions(embedder, vectors);

    const embedded = new EmbeddedIndex(embedder);
    const store = await openSqlite(`sqlite:${join(folder, "board.db")}`, { index: embedded });
    await store.publishers.insert(aPublisher("pub_a"));
    await Promise.all(posts.map((post) => store.posts.insert(post)));
    await store.posts.setVectors(
      posts.map(({ id, updatedAt }, at) => ({
        id,
        updatedAt,
        model: embedder.modelId,
        vector: vectors[at] ?? new Int8Array(),
      })),
    );
    sqlite = { store, index: embedded };

    const other = await openMongodb(database?.url ?? "");
    await other.publishers.insert(aPublisher("pub_a"));
    await other.collections.posts.insertMany(
      posts.map((post, at) => ({
        ...documentOfPost(post, { verified: false, suspended: false }),
        vec_model: embedder.modelId,
        vec: binaryOf(vectors[at] ?? new Int8Array()),
      })),
    );
    const { modelId, dimension } = embedder;
    const index = openReplica({
      feed: other.feed,
      folder: join(folder, "search"),
      board: "board",
      modelId,
      dimension,
      log,
      now: T0,
    });
    mongodb = { store: other, index };
    expect(await index.readyWithin(60_000)).toBe(true);
  });
  afterAll(async () => {
    await mongodb?.index.close();
    await Promise.all([mongodb?.store.close(), sqlite?.store.close(), embedder?.close()]);
    await database?.drop();
    rmSync(folder, { recursive: true });
  });

  it(`are ranked the same, in ${ASKED} searches`, async () => {
    let found = 0;
    for (const question of questions) {
      for (const rerank of [true, false]) {
        const options = { rerank, limit: 100, except: new Set<string>() };
        const ranked = await sqlite.index.rank(question, options);
        expect(await mongodb.index.rank(question, options)).toEqual(ranked);
        found += ranked.length;
      }
    }
    expect(questions.length).toBe(ASKED);
    expect(found).toBeGreaterThan(ASKED * 20);
  });

  it("are listed the same, in both orders of time", async () => {
    for (const { filter } of questions.slice(0, 40)) {
      for (const order of ["newest", "soonest"] as const) {
        const page = { order, after: null, limit: 100 };
        const listed = await sqlite.index.list(aQuestion({ filter }), page);
        expect(await mongodb.index.list(aQuestion({ filter }), page)).toEqual(listed);
      }
    }
  });
});

function postOf(notice: Record<string, unknown>, at: number): StoredPost {
  const startsAt = notice["starts_at"];
  return aPost(`post${String((at * 7_919) % POSTS).padStart(5, "0")}`, {
    kind: notice["kind"] as StoredPost["kind"],
    title: notice["title"] as string,
    body: notice["body"] as string,
    tags: notice["tags"] as string[],
    location: notice["location"] as StoredPost["location"],
    startsAt: typeof startsAt === "string" ? Date.parse(startsAt) : null,
    createdAt: T0 - (at % 1_000),
    updatedAt: T0,
  });
}

/** Vectors of the first posts by the model, and of the others between two of those. */
async function vectorsOf(embedder: Embedder, posts: readonly StoredPost[]): Promise<Int8Array[]> {
  const texts = posts
    .slice(0, BY_MODEL)
    .map(({ title, body, tags, location }) => ({ title, body, tags, placeName: location?.name ?? null }));
  const known: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += 50)
    known.push(...(await embedder.embed(texts.slice(at, at + 50), "post")));
  const random = seeded(11);
  const any = () => known[Math.floor(random() * known.length)] ?? new Float32Array(embedder.dimension);
  return posts.map((_, at) => quantize(known[at] ?? between(any(), any(), random())));
}

/** Searches in words of the corpus and of people, some filtered, with vectors by the model for the latter. */
async function someQuestions(embedder: Embedder, vectors: readonly Int8Array[]): Promise<Question[]> {
  const byModel = (await embedder.embed(QUERIES, "query")).map(quantize);
  const random = seeded(12);
  const words = notices(300, T0).flatMap(
    (notice) =>
      String(notice["title"])
        .toLowerCase()
        .match(/[a-z]{4,}/g) ?? [],
  );
  const word = () => words[Math.floor(random() * words.length)] ?? "";
  return Array.from({ length: ASKED }, (_, at) => {
    const q = QUERIES[at] ?? [word(), word(), random() < 0.3 ? `-${word()}` : ""].join(" ").trim();
    return aQuestion({
      q,
      vector: byModel[at] ?? vectors[Math.floor(random() * vectors.length)] ?? null,
      minCosine: embedder.scale.minCosine,
      filter: {
        now: T0,
        includeExpired: false,
        kinds: random() < 0.3 ? ["offer", "event"] : null,
        near: random() < 0.2 ? { lat: 52.37, lng: 4.9, radiusKm: 500 } : null,
        after: random() < 0.2 ? T0 + 10 * 86_400_000 : null,
      },
    });
  });
}

function between(a: Float32Array, b: Float32Array, share: number): Float32Array {
  const mixed = a.map((x, at) => x * share + (b[at] ?? 0) * (1 - share));
  const length = Math.hypot(...mixed);
  return mixed.map((x) => x / length);
}
