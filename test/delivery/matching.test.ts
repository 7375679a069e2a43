import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BoardModel } from "../../src/domain/board/embedding-model.ts";
import { Matching } from "../../src/domain/subscriptions/matching.ts";
import { makerOf } from "../../src/domain/subscriptions/meaning.ts";
import { MODELS } from "../../src/embed/models.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { SearchIndex } from "../../src/ports/search-index.ts";
import type { Store, StoredPost, StoredSubscription } from "../../src/ports/store/index.ts";
import { quantize } from "../../src/search/vectors.ts";
import { openBoardData } from "../../src/store/open.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

const T0 = Date.UTC(2026, 10, 20, 12);

let folder: string;
const indexes = new Map<Store, SearchIndex>();
const opened: { close(): Promise<void> }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "matching-"));
});
afterEach(async () => {
  for (const part of opened.splice(0)) await part.close();
  rmSync(folder, { recursive: true });
});

/** A connection of its own to the test's database, as each process has one. */
async function connect(): Promise<Store> {
  const log = { info() {}, warn: console.warn };
  const { modelId, dimension } = off;
  const options = {
    model: { modelId, dimension },
    indexFolder: folder,
    search: "auto",
    log,
  } as const;
  const data = await openBoardData(`sqlite:${join(folder, "board.db")}`, options);
  opened.push(data);
  const { store } = data;
  indexes.set(store, data.index);
  if ((await store.publishers.get("pub_1")) === null) await store.publishers.insert(aPublisher("pub_1"));
  return store;
}

const modelDir = process.env["MODEL_DIR"] ?? "";
const embedderOf = (mode: "off" | "required"): Embedder =>
  openEmbedder({
    mode,
    model: MODELS[0],
    modelDir,
    cacheDir: modelDir,
    log: { info() {}, warn: console.warn },
  });
const off = embedderOf("off");
/** The real model, loaded once. */
let embedder: Embedder;
beforeAll(async () => {
  embedder = embedderOf("required");
  await embedder.settled();
});
afterAll(() => embedder.close());

const matchingOf = (store: Store, embedder: Embedder) =>
  new Matching({ store, index: indexOf(store), embedder, boardModel: new BoardModel({ store, embedder }) });

function indexOf(store: Store): SearchIndex {
  const index = indexes.get(store);
  if (index === undefined) throw new Error("a store that connect() did not open");
  return index;
}

const saved = (id: string, query: Record<string, unknown>, over: Partial<StoredSubscription> = {}) =>
  aSubscription(id, { publisherId: "pub_1", query, vector: null, vectorModel: null, createdAt: T0, ...over });

/** Processor time of this process so far, in milliseconds. Other processes' time does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Ids of the subscriptions that a post matches, in order. */
async function answered(matching: Matching, over: Partial<StoredPost>, vector: Int8Array | null = null) {
  await matching.refresh(T0);
  const fields = { publisherId: "pub_1", createdAt: T0 + 1, expiresAt: T0 + 1e9, ...over };
  return matching
    .answeredBy({ post: aPost("post1", fields), publisher: aPublisher("pub_1"), vector }, T0 + 1)
    .sort();
}

describe("matching", () => {
  it("follows subscriptions that other processes make, change and remove", async () => {
    const [here, there] = [await connect(), await connect()];
    const matching = matchingOf(here, off);
    const post = { title: "Road bike for sale" };
    expect(await answered(matching, post)).toEqual([]);
    await there.subscriptions.insert(saved("sub_a", { q: "road bike" }), 50);
    await here.subscriptions.insert(saved("sub_b", { q: "bike -road" }), 50);
    await there.subscriptions.insert(saved("sub_c", { q: '"bike for sale"' }), 50);
    expect(await answered(matching, post)).toEqual(["sub_a", "sub_c"]);
    await there.subscriptions.update("sub_b", { query: { q: "bikes" } });
    await there.subscriptions.remove("sub_c");
    expect(await answered(matching, post)).toEqual(["sub_a", "sub_b"]);
  });

  it("does not give a query the vector of its earlier text", async () => {
    // The owner's new query once kept the old one's vector for good.
    const store = await connect();
    await new BoardModel({ store, embedder }).choose();
    await store.subscriptions.insert(saved("sub_a", { q: "apple pie recipes" }), 50);
    const changing: Embedder = {
      ...embedder,
      async embed(texts, role) {
        const vectors = await embedder.embed(texts, role);
        await store.subscriptions.update("sub_a", { query: { q: "somebody to fix my bicycle" } });
        return vectors;
      },
    };
    await matchingOf(store, changing).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vector: null, vectorModel: null });
  });

  it("counts what the posts of a board are to a query, and again once the board has grown", async () => {
    const store = await connect();
    await new BoardModel({ store, embedder }).choose();
    const matching = matchingOf(store, embedder);
    await store.subscriptions.insert(saved("sub_a", { q: "fix my bicycle", kind: "offer" }), 50);
    const vectorOf = async (text: string) => {
      const [vector] = await embedder.embed([text], "post");
      return quantize(vector ?? new Float32Array());
    };
    const write = async (id: string, title: string) => {
      await store.posts.insert(
        aPost(id, { publisherId: "pub_1", title, kind: "offer", createdAt: T0, expiresAt: T0 + 1e9 }),
      );
      const vector = await vectorOf(title);
      await store.posts.setVectors([{ id, updatedAt: T0, model: embedder.modelId, vector }]);
    };
    const counted = async (now: number) => {
      await matching.refresh(now);
      await matching.refresh(now);
      return (await store.subscriptions.get("sub_a"))?.background;
    };
    expect(await counted(T0)).toEqual({ posts: 0, passing: 0, compared: 0, meanCosine: 0 });
    for (const n of [1, 2, 3]) await write(`near${n}`, "We repair bicycles");
    expect(await counted(T0 + 60_000)).toMatchObject({ posts: 0 });
    for (const n of [4, 5, 6, 7]) await write(`far${n}`, "Apple pie recipes");
    const background = await counted(T0 + 120_000);
    expect(background).toMatchObject({ posts: 7, passing: 7, compared: 7 });
    expect(background?.meanCosine).toBeGreaterThan(0.2);
    expect(background?.meanCosine).toBeLessThan(0.6);
    await store.subscriptions.update("sub_a", {
      query: { q: "fix my bicycle", kind: "event" },
      background: null,
    });
    expect(await counted(T0 + 180_000)).toMatchObject({ posts: 7, passing: 0 });
  });

  it("leaves a query's vector to the processes that run under the board's model", async () => {
    const store = await connect();
    const boardModel = new BoardModel({ store, embedder });
    await boardModel.choose();
    await store.settings.set("embedding_model", "the model of a process that started later");
    await store.subscriptions.insert(saved("sub_a", { q: "somebody to fix my bicycle" }), 50);
    await matchingOf(store, embedder).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vector: null, vectorModel: null });
    await boardModel.choose();
    await matchingOf(store, embedder).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vectorModel: makerOf(embedder) });
  });

  it("skips a stored query that it cannot read", async () => {
    const store = await connect();
    const matching = matchingOf(store, off);
    await store.subscriptions.insert(saved("sub_a", { radius_km: "wide" }), 50);
    await store.subscriptions.insert(saved("sub_b", { kind: "offer" }), 50);
    expect(await answered(matching, { kind: "offer" })).toEqual(["sub_b"]);
  });

  it("loads 5,000 subscriptions without holding up the event loop", async () => {
    const store = await connect();
    const numbers = Array.from({ length: 5_000 }, (_, n) => n);
    const queryOf = (n: number) =>
      n % 2 === 0 ? { q: `thing${n} bike` } : { near: `${n % 90},${n % 180}`, radius_km: 100, kind: "offer" };
    for (let start = 0; start < numbers.length; start += 1_000) {
      const part = numbers.slice(start, start + 1_000);
      await Promise.all(
        part.map((n) => store.subscriptions.insert(saved(`sub_${n}`, queryOf(n)), Number.MAX_SAFE_INTEGER)),
      );
    }
    const matching = matchingOf(store, off);
    let over = false;
    let longestMs = 0;
    const turning = (async () => {
      for (let before = cpuMs(); !over; before = cpuMs()) {
        await nextTurn();
        longestMs = Math.max(longestMs, cpuMs() - before);
      }
    })();
    const beganAt = cpuMs();
    await matching.refresh(T0);
    const tookMs = cpuMs() - beganAt;
    over = true;
    await turning;
    // About 10 ms of a second.
    expect(longestMs).toBeLessThan(tookMs / 4);
    expect(await answered(matching, { title: "A bike: thing4242" })).toEqual(["sub_4242"]);
  });
});
