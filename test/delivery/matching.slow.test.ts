import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openModel } from "../../bench/support/model.ts";
import { BoardModel } from "../../src/domain/board/embedding-model.ts";
import { Matching } from "../../src/domain/subscriptions/matching.ts";
import { makerOf } from "../../src/domain/subscriptions/meaning.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Store, StoredPost, StoredSubscription } from "../../src/ports/store/index.ts";
import { quantize } from "../../src/search/ranking/vectors.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

const T0 = Date.UTC(2026, 10, 20, 12);

/** Boards without a model that match nothing by themselves. */
let board: TestBoard;
let store: Store;
beforeEach(async () => {
  board = await startBoard({}, { idle: true });
  ({ store } = board.board);
  await store.publishers.insert(aPublisher("pub_1"));
});
afterEach(() => board.stop());

/** The real model, loaded once. */
let embedder: Embedder;
beforeAll(async () => {
  embedder = await openModel();
});
afterAll(() => embedder.close());

function matchingWith(embedder = board.board.embedder): Matching {
  const { index } = board.board;
  return new Matching({ store, index, embedder, boardModel: new BoardModel({ store, embedder }) });
}

const saved = (id: string, query: Record<string, unknown>, over: Partial<StoredSubscription> = {}) =>
  aSubscription(id, { publisherId: "pub_1", query, vector: null, vectorModel: null, createdAt: T0, ...over });

/** Ids of the subscriptions that a post matches, in order. */
async function answered(matching: Matching, over: Partial<StoredPost>, vector: Int8Array | null = null) {
  await matching.refresh(T0);
  const fields = { publisherId: "pub_1", writtenNo: 9, expiresAt: T0 + 1e9, ...over };
  return matching
    .answeredBy({ post: aPost("post1", fields), publisher: aPublisher("pub_1"), vector }, T0 + 1)
    .sort();
}

describe("matching", () => {
  it("follows subscriptions that other processes make, change and remove", async () => {
    const other = await startBoard({}, { dataDir: board.dataDir, idle: true });
    const there = other.board.store;
    const matching = matchingWith();
    const post = { title: "Road bike for sale" };
    expect(await answered(matching, post)).toEqual([]);
    await there.subscriptions.insert(saved("sub_a", { q: "road bike" }), 50);
    await store.subscriptions.insert(saved("sub_b", { q: "bike -road" }), 50);
    await there.subscriptions.insert(saved("sub_c", { q: '"bike for sale"' }), 50);
    expect(await answered(matching, post)).toEqual(["sub_a", "sub_c"]);
    await there.subscriptions.update("sub_b", { query: { q: "bikes" } });
    await there.subscriptions.remove("sub_c");
    expect(await answered(matching, post)).toEqual(["sub_a", "sub_b"]);
    await other.stop();
  });

  it("finds a word inside of a compound, with and without a model", async () => {
    for (const [id, q] of [
      ["sub_a", "Tisch"],
      ["sub_b", "Stuhl"],
      ["sub_c", '"Tisch"'],
    ] as const)
      await store.subscriptions.insert(saved(id, { q }), 50);
    expect(await answered(matchingWith(), { title: "Esstisch aus Eiche für die Küche" })).toEqual(["sub_a"]);
  });

  it("does not give a query the vector of its earlier text", async () => {
    // The owner's new query once kept the old one's vector for good.
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
    await matchingWith(changing).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vector: null, vectorModel: null });
  });

  it("counts what the posts of a board are to a query, and again once the board has grown", async () => {
    await new BoardModel({ store, embedder }).choose();
    const matching = matchingWith(embedder);
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
    expect(await counted(T0)).toEqual({ posts: 0, passing: 0 });
    for (const n of [1, 2, 3]) await write(`near${n}`, "We repair bicycles");
    expect(await counted(T0 + 60_000)).toMatchObject({ posts: 0 });
    for (const n of [4, 5, 6, 7]) await write(`far${n}`, "Apple pie recipes");
    expect(await counted(T0 + 120_000)).toEqual({ posts: 7, passing: 7 });
    await store.subscriptions.update("sub_a", {
      query: { q: "fix my bicycle", kind: "event" },
      background: null,
    });
    expect(await counted(T0 + 180_000)).toMatchObject({ posts: 7, passing: 0 });
    // The size is looked at every ten seconds, and after ten posts sooner.
    const isOf = async (now: number) => (await counted(now))?.posts;
    for (let n = 1; n < 8; n += 1) await write(`more${n}`, "Apple pie recipes");
    expect(await isOf(T0 + 189_999)).toBe(7);
    expect(await isOf(T0 + 190_000)).toBe(14);
    for (let n = 8; n < 18; n += 1) await write(`more${n}`, "Apple pie recipes");
    const match = () =>
      matching.answeredBy(
        { post: aPost("new", { expiresAt: T0 + 1e9 }), publisher: aPublisher("pub_1"), vector: null },
        T0,
      );
    for (let n = 0; n < 9; n += 1) match();
    expect(await isOf(T0 + 190_001)).toBe(14);
    match();
    expect(await isOf(T0 + 190_002)).toBe(24);
  });

  it("is of posts that are shown, by publishers in good standing, until they expire", async () => {
    await store.subscriptions.insert(saved("sub_a", { q: "road bike" }), 50);
    await store.subscriptions.insert(saved("sub_b", { kind: "offer" }), 50);
    const matching = matchingWith();
    const title = "Road bike for sale";
    expect(await answered(matching, { title })).toEqual(["sub_a", "sub_b"]);
    expect(await answered(matching, { title, expiresAt: T0 + 2 })).toEqual(["sub_a", "sub_b"]);
    expect(await answered(matching, { title, expiresAt: T0 + 1 })).toEqual([]);
    expect(await answered(matching, { title, state: "hidden" })).toEqual([]);
    expect(await answered(matching, { title, state: "removed" })).toEqual([]);
    const post = aPost("post1", { publisherId: "pub_1", writtenNo: 9, title, expiresAt: T0 + 1e9 });
    const suspended = aPublisher("pub_1", { suspendedAt: T0 });
    expect(matching.answeredBy({ post, publisher: suspended, vector: null }, T0 + 1)).toEqual([]);
  });

  it("leaves a query's vector to the processes that run under the board's model", async () => {
    const boardModel = new BoardModel({ store, embedder });
    await boardModel.choose();
    await store.settings.set("embedding_model", "the model of a process that started later");
    await store.subscriptions.insert(saved("sub_a", { q: "somebody to fix my bicycle" }), 50);
    await matchingWith(embedder).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vector: null, vectorModel: null });
    await boardModel.choose();
    await matchingWith(embedder).refresh(T0);
    expect(await store.subscriptions.get("sub_a")).toMatchObject({ vectorModel: makerOf(embedder) });
  });

  it("takes a place that the filter holds for none of a query's words", async () => {
    const matching = matchingWith();
    const near = { near: "38.7223,-9.1393", radius_km: 20 };
    const post = { title: "Room in Arroios", location: { name: "Arroios", lat: 38.73, lng: -9.135 } };
    await store.subscriptions.insert(saved("sub_a", { q: "rooms in Lisbon", ...near }), 50);
    await store.subscriptions.insert(saved("sub_b", { q: '"in Lisbon" rooms', ...near }), 50);
    await store.subscriptions.insert(saved("sub_c", { q: "rooms in Lisbon" }), 50);
    await store.subscriptions.insert(saved("sub_d", { q: "rooms in Porto", ...near }), 50);
    const location = { ...aPost("post1").location, ...post.location } as StoredPost["location"];
    expect(await answered(matching, { ...post, location })).toEqual(["sub_a"]);
  });

  it("skips a stored query that it cannot read", async () => {
    const matching = matchingWith();
    await store.subscriptions.insert(saved("sub_a", { radius_km: "wide" }), 50);
    await store.subscriptions.insert(saved("sub_b", { kind: "offer" }), 50);
    expect(await answered(matching, { kind: "offer" })).toEqual(["sub_b"]);
  });

  /** A board on which as many posts pass the filters as on the third labelled set. */
  it.each([
    {
      q: "yoga classes",
      passing: 260,
      told: {
        title: "Pregnancy yoga drop-in",
        body: "From 14 weeks onwards. Gentle, lots of props.",
        tags: ["yoga"],
      },
      not: {
        title: "Pilates suelo para espaldas cansadas",
        body: "Grupos de seis personas en Ruzafa, martes y jueves a las 19:15.",
        tags: ["pilates", "espalda"],
      },
    },
    {
      q: "used road bike",
      passing: 107,
      told: {
        title: "Road bike, 54 cm, Specialized Allez",
        body: "Claris 8 speed, new chain and cassette in Sept, rim brakes. £320, collect only.",
        tags: ["cycling", "for-sale"],
      },
      not: {
        title: "Tern GSD S10 electric cargo – sensible offers",
        body: "Two seats on the back, hydraulic brakes serviced in October. £2,400.",
        tags: ["ebike", "cargo", "family"],
      },
    },
    {
      q: "severe weather warnings",
      passing: 260,
      told: {
        title: "Orange wind warning, Saturday night into Sunday",
        body: "Gusts to 120 km/h along the west coast. Tie down trampolines, bring in bins.",
        tags: ["weather", "storm", "warning"],
      },
      not: {
        title: "Christmas morning dip for the hospice",
        body: "Cold water, warm soup.",
        tags: ["swimming"],
      },
    },
    {
      q: "open source, Linux or database meetups",
      passing: 54,
      told: {
        title: "Postgres evening: vacuum, bloat and other horrors",
        body: "Two talks, soup, then bring your worst query.",
        tags: ["postgres", "database", "meetup"],
      },
      not: {
        title: "Women in Data, CV clinic + lightning talks",
        body: "Bring two printed copies. Recruiters from 3 banks.",
        tags: ["women", "data", "career"],
      },
    },
  ])(
    "tells of a post that a reader of “$q” would want, and of no near miss",
    async ({ q, passing, told, not }) => {
      await new BoardModel({ store, embedder }).choose();
      const background = { posts: 260, passing };
      const vectorOf = async (text: Parameters<Embedder["embed"]>[0][number], role: "query" | "post") =>
        quantize((await embedder.embed([text], role))[0] ?? new Float32Array());
      const row = saved(
        "sub_a",
        { q },
        { vector: await vectorOf(q, "query"), vectorModel: makerOf(embedder), background },
      );
      await store.subscriptions.insert(row, 50);
      const matching = matchingWith(embedder);
      for (const [post, expected] of [
        [told, ["sub_a"]],
        [not, []],
      ] as const) {
        const vector = await vectorOf({ ...post, placeName: "Amsterdam" }, "post");
        expect(await answered(matching, post, vector), post.title).toEqual(expected);
      }
    },
  );
});
