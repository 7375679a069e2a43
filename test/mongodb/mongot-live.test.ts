import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PostFilter } from "../../src/schema/filter.ts";
import type { EmbeddedIndex } from "../../src/search-index/index.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { type MongodbIndex, openMongodbIndex } from "../../src/store/mongodb/search/index.ts";
import { MongotIndex } from "../../src/store/mongodb/search/mongot/index.ts";
import { MongotQueries } from "../../src/store/mongodb/search/mongot/queries.ts";
import { eventually } from "../support/boards/client.ts";
import { aPage, aQuestion, idsFor } from "../support/boards/questions.ts";
import { fillMongodb, sameEmbedded } from "../support/mongodb/filled-mongodb.ts";
import { DIMENSION, MODEL, T0, vectorAt } from "../support/search/indexed-posts.ts";
import { aPost } from "../support/search/rows.ts";

/** A deployment with a real mongot: Atlas, or a local one. The tests make a database of their own there, and drop it afterwards. */
const uri = process.env["TEST_MONGOT_URI"] ?? "";
const POSTS = 400;
/** Building indexes takes minutes there; catching up with the collection takes a second or so. */
const BUILT_MS = 15 * 60_000;
const FOLLOWED_MS = 60_000;

if (uri === "") {
  process.stderr.write("SKIPPED: tests of a real mongot need TEST_MONGOT_URI, a deployment that has one.\n");
}

describe.skipIf(uri === "")("search by a real mongot", { timeout: BUILT_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), "mongot-live-"));
  let store: MongodbStore;
  let embedded: EmbeddedIndex;
  let index: MongodbIndex;
  /** mongot alone, without the recent posts merged in. */
  let mongot: MongotIndex;

  beforeAll(async () => {
    const url = new URL(uri);
    url.pathname = `test_mongot_${process.pid}`;
    store = await openMongodb(url.href);
    await fillMongodb(store, POSTS);
    embedded = sameEmbedded(POSTS);
    const { connection, collections } = store;
    index = await openMongodbIndex({
      feed: store.feed,
      posts: collections.posts,
      settings: store.settings,
      run: connection.run,
      runLong: connection.runLong,
      folder,
      board: "board",
      modelId: MODEL,
      dimension: DIMENSION,
      localIndex: "full",
      log: { info() {}, warn: (fields, message) => console.warn(message, fields) },
      now: Date.now(),
    });
    await eventually(
      async () => index.state(),
      (state) => state === "mongot",
      BUILT_MS,
    );
    expect(index.state()).toBe("mongot");
    mongot = new MongotIndex(
      new MongotQueries({
        posts: collections.posts,
        run: connection.run,
        modelId: MODEL,
        storesFacts: () => true,
      }),
    );
  }, BUILT_MS);
  afterAll(async () => {
    await index?.close();
    const name = store?.connection.db.databaseName;
    await store?.close();
    rmSync(folder, { recursive: true });
    if (name === undefined) return;
    const client = new MongoClient(uri);
    await client.db(name).dropDatabase();
    await client.close();
  });

  const idsOf = ({ matches }: { matches: { id: string }[] }) => matches.map(({ id }) => id).sort();

  it.each(["bike", "BIKES", "cello repair", '"garden market"', "music -tent", "qwertz", "!!!"])(
    "finds the posts with %s that the embedded index finds",
    async (q) => {
      const asked = aQuestion({ q });
      expect(idsOf(await mongot.match(asked, aPage(POSTS)))).toEqual(
        idsOf(await embedded.match(asked, aPage(POSTS))),
      );
      expect(await mongot.count(asked)).toBe(await embedded.count(asked));
    },
  );

  it.each([
    { kinds: ["offer", "event"] },
    { tags: ["t3", "nowhere"] },
    { near: { lat: 52.37, lng: 4.9, radiusKm: 60 } },
    { near: { lat: -18.14, lng: -179, radiusKm: 500 } },
    { after: T0, before: T0 + 5 * 86_400_000 },
    { verifiedOnly: true },
    { publisherId: "pub_1" },
    { parentId: "post00000" },
    { includeReplies: true, includeExpired: false, now: T0 },
    { includeSyndicated: false },
    { datedOnly: true },
    { createdUntil: T0 - 100_000 },
  ] as const)(
    "filters by %j as the embedded index does, by words and by meaning, and in the same order",
    async (filter) => {
      const by = { filter: filter as Partial<PostFilter> };
      const vector = vectorAt(1);
      for (const asked of [aQuestion({ ...by, q: "bike" }), aQuestion({ ...by, vector })]) {
        const [ours, theirs] = [
          await mongot.match(asked, aPage(POSTS)),
          await embedded.match(asked, aPage(POSTS)),
        ];
        expect(idsOf(ours)).toEqual(idsOf(theirs));
      }
      const list = { order: "soonest", after: null, limit: 20 } as const;
      expect(await mongot.list(aQuestion(by), list)).toEqual(await embedded.list(aQuestion(by), list));
    },
  );

  it("finds a new post at once, and holds it itself soon after", async () => {
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", title: "Unicycle" }));
    expect(await idsFor(index, "unicycle")).toEqual(["new1"]);
    const held = await eventually(
      () => mongot.holds(["new1"]),
      (ids) => ids.has("new1"),
      FOLLOWED_MS,
    );
    expect([...held]).toEqual(["new1"]);
    await store.posts.remove("new1", T0);
    expect(await idsFor(index, "unicycle")).toEqual([]);
  });
});
