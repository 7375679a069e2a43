import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INBOX_KEPT_DAYS } from "../../../src/ports/store/index.ts";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import { eventually } from "../../support/boards/client.ts";
import { mongodCommand } from "../../support/mongodb/mongod.ts";
import { ReplicaSet } from "../../support/mongodb/replica-set.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const mongod = await mongodCommand();

describe.skipIf(mongod === null)("a server that deletes what is over", () => {
  let server: ReplicaSet;
  let store: MongodbStore;

  beforeAll(async () => {
    server = await ReplicaSet.start(mongod ?? [], 1, ["ttlMonitorSleepSecs=1"]);
    store = await openMongodb(server.url("board"));
  }, 120_000);

  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  /** The ids that are left, in order, once there is a newest and no oldest. */
  const leftOf = async (name: "windows" | "rankings" | "told_series", oldest: string, newest: string) => {
    const read = () =>
      store.connection.db
        .collection<{ _id: string }>(name)
        .find({}, { sort: { _id: 1 } })
        .map(({ _id }) => _id)
        .toArray();
    return eventually(read, (ids) => ids.includes(newest) && !ids.includes(oldest), 90_000);
  };

  it("deletes counters and rankings some minutes after their end, and no sooner", async () => {
    const now = Date.now();
    const ranking = { ids: ["p1"], relevance: [1], previous: null };
    for (const [id, endedAt] of [
      ["long ago", now - 20 * MINUTE_MS],
      ["a minute ago", now - MINUTE_MS],
      ["later", now + MINUTE_MS],
    ] as const) {
      await store.limits.add(id, 1, MINUTE_MS, endedAt - MINUTE_MS);
      await store.rankings.save({ ...ranking, id, expiresAt: endedAt });
    }
    expect(await leftOf("windows", "long ago", "later")).toEqual(["a minute ago", "later"]);
    expect(await leftOf("rankings", "long ago", "later")).toEqual(["a minute ago", "later"]);
    expect((await store.limits.add("later", 1, MINUTE_MS, now)).points).toBe(2);
  }, 120_000);

  it("deletes entries of an inbox after the days that they are kept", async () => {
    const now = Date.now();
    const old = now - (INBOX_KEPT_DAYS + 1) * DAY_MS;
    for (const id of ["pub_a", "pub_b"]) await store.publishers.insert(aPublisher(id));
    await store.posts.insert(
      aPost("root", { publisherId: "pub_a", createdAt: old, expiresAt: now + DAY_MS }),
    );
    for (const [id, createdAt] of [
      ["root.old", old],
      ["root.new", now - (INBOX_KEPT_DAYS - 1) * DAY_MS],
    ] as const) {
      const expiresAt = now + DAY_MS;
      await store.posts.insert(aPost(id, { publisherId: "pub_b", parentId: "root", createdAt, expiresAt }));
    }
    // What saved queries were told of a series goes with the matches.
    const series = (id: string, endsAt: number) => ({
      _id: id,
      subscription_id: "sub_1",
      ends_at: new Date(endsAt),
    });
    await store.collections.told_series.insertMany([
      series("sub_1:old", old),
      series("sub_1:recent", now - (INBOX_KEPT_DAYS - 1) * DAY_MS),
      series("sub_1:to come", now + DAY_MS),
    ]);
    expect(await leftOf("told_series", "sub_1:old", "sub_1:to come")).toEqual([
      "sub_1:recent",
      "sub_1:to come",
    ]);
    const read = () => store.inbox.read("pub_a", 0, 10);
    const kept = await eventually(read, (entries) => entries.length < 2, 90_000);
    expect(kept.map(({ postId }) => postId)).toEqual(["root.new"]);
    expect(await store.inbox.lastNumbers(["pub_a"])).toEqual(new Map([["pub_a", 2]]));
  }, 120_000);
});
