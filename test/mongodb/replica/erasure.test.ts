import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import { Replica } from "../../../src/store/mongodb/search/replica/index.ts";
import { eventually } from "../../support/boards/client.ts";
import { idsFor } from "../../support/boards/questions.ts";
import { fillMongodb } from "../../support/mongodb/filled-mongodb.ts";
import { mongodbFor } from "../../support/mongodb/mongodb.ts";
import { DIMENSION, MODEL, T0, vectorAt } from "../../support/search/indexed-posts.ts";
import { leftInFiles } from "../../support/search/left-in-files.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";

/** Enough for a snapshot. */
const POSTS = 2_100;
const SECRETS = ["secret-1", "secret-2"];
const WORDS = ["xylophonist", "zyzzyva", "quokkatag", "ulcombeville", ...SECRETS];
/** Of a value that no other post has. */
const VECTOR = vectorAt(987_655) ?? new Int8Array(DIMENSION);

const database = await mongodbFor("replicaSet", "replica_erasure");
let folder: string;
let store: MongodbStore;
let replica: Replica;

describe.skipIf(database === null)("a publisher's erasure beside MongoDB", () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "replica-"));
    store = await openMongodb(database?.url ?? "");
    await fillMongodb(store, POSTS);
    await store.publishers.insert(aPublisher("pub_secret", { name: "Quillfeather" }));
    for (const id of SECRETS) {
      await store.posts.insert(
        aPost(id, {
          publisherId: "pub_secret",
          title: "Xylophonist wanted",
          body: "zyzzyva",
          tags: ["quokkatag"],
          location: { name: "Ulcombeville", lat: 1, lng: 1 },
        }),
      );
    }
    await store.posts.setVectors(SECRETS.map((id) => ({ id, updatedAt: T0, model: MODEL, vector: VECTOR })));
    await opened();
    expect(await idsFor(replica, "xylophonist")).toEqual(SECRETS);
    expect(left()).toEqual([...WORDS, "vector"]);
  });
  afterEach(async () => {
    await replica?.close();
    await store?.close();
    await database?.empty();
    rmSync(folder, { recursive: true });
  });
  afterAll(() => database?.drop());

  const left = () => leftInFiles(folder, WORDS, VECTOR);
  async function opened(): Promise<void> {
    replica = new Replica({
      feed: store.feed,
      folder,
      modelId: MODEL,
      dimension: DIMENSION,
      log: { info() {}, warn() {} },
    });
    expect(await replica.readyWithin(30_000)).toBe(true);
  }

  test("leaves nothing of the posts in any file of the replica that follows", async () => {
    await store.publishers.erase("pub_secret");
    await eventually(
      async () => left(),
      (words) => words.length === 0,
      10_000,
    );
    expect(left()).toEqual([]);
  });

  test("has nothing to leave where no process has a replica any more", async () => {
    await replica.close();
    expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual([]);
  });
});
