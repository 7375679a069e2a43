import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { describeStore } from "../contract/store.contract.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { startSecondMongos } from "../support/mongodb/second-mongos.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";
import { mongodbUnderTest } from "../support/search/store-under-test.ts";

const database = await mongodbFor("cluster", "two_shards");

describe("on two shards", () => {
  if (database === null) {
    it.skip("needs a mongod", () => {});
    return;
  }
  const { url, db } = database;
  describeStore("mongodb", mongodbUnderTest(database));

  describe("two processes at two mongos", () => {
    let one: MongodbStore;
    let other: MongodbStore;
    let mongos: Awaited<ReturnType<typeof startSecondMongos>>;

    beforeAll(async () => {
      mongos = await startSecondMongos(db);
      one = await openMongodb(url);
      const second = new URL(url);
      second.host = mongos.host;
      other = await openMongodb(second.href);
      await one.publishers.insert(aPublisher("pub_a"));
    });
    afterAll(async () => {
      await Promise.all([one?.close(), other?.close()]);
      await mongos?.stop();
    });

    it("change at once what the other acknowledged", async () => {
      for (let n = 0; n < 10; n += 1) {
        const id = `post${n}`;
        await one.posts.insert(aPost(id));
        const edited = await other.posts.update(
          id,
          { title: "New", updatedAt: T0 + 1 },
          { text: true, asOf: T0 },
        );
        expect(edited).toMatchObject({ id, title: "New" });
        expect(await one.posts.remove(id, T0 + 2)).toEqual([id]);
      }
    });

    it("find posts and deliveries spread over the shards, and count each other's retrievals", async () => {
      await one.posts.insert(aPost("shown"));
      await one.posts.addRetrievals(new Map([["shown", 3]]));
      await other.posts.addRetrievals(new Map([["shown", 4]]));
      expect((await other.posts.get("shown"))?.retrievals).toBe(7);
      const spread = await one.connection.client
        .db("config")
        .collection<{ _id: string; key: object }>("collections")
        .find({ _id: new RegExp(`^${db.databaseName}[.]`), unsplittable: { $ne: true } })
        .toArray();
      const keys = spread.map(({ _id, key }) => [_id.slice(db.databaseName.length + 1), key]);
      expect(Object.fromEntries(keys)).toEqual({
        posts: { root: "hashed" },
        deliveries: { subscription_id: "hashed" },
      });
    });
  });
});
