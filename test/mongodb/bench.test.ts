import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { measureLargeBoard } from "../../bench/mongodb/large-board.ts";
import { measureMovedQueries } from "../../bench/mongodb/moved-queries.ts";
import { measurePushes } from "../../bench/mongodb/pushes.ts";
import { measureWrites } from "../../bench/mongodb/writes.ts";
import { measureMongodb } from "../../bench/mongodb.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "bench");
const cluster = await mongodbFor("cluster", "bench");
afterAll(() => Promise.all([database?.drop(), cluster?.drop()]));

describe.skipIf(database === null)("bench/mongodb", () => {
  it("measures every operation on both stores, and what a post takes", async () => {
    const options = { posts: 500, subscriptions: 100, rounds: 1, calls: 60, settleMs: 0 };
    const figures = await measureMongodb(database?.url ?? "", options);
    expect(figures.timings.filter(({ collection }) => collection !== null)).toHaveLength(5);
    for (const { name, mongodb, collection, sqlite } of figures.timings) {
      for (const { p50, p95 } of [mongodb, collection ?? mongodb, sqlite]) {
        expect([name, p50 > 0, p95 >= p50, Number.isFinite(p95)]).toEqual([name, true, true, true]);
      }
    }
    const posts = figures.collections.find(({ name }) => name === "posts");
    expect(posts?.documents).toBe(500);
    // A vector of 384 numbers and a text of some hundred.
    expect(posts?.bson).toBeGreaterThan(600);
    expect(figures.oplog.post).toBeGreaterThan(posts?.bson ?? 0);
    expect(figures.changes.streamed).toBeGreaterThan(0);
  });

  it("measures what a large board costs an instance", async () => {
    const options = { posts: 500, subscriptions: 100, calls: 20 };
    const { starts, replicaBytes, rows } = await measureLargeBoard(database?.url ?? "", options);
    expect(starts.again).toBeGreaterThan(0);
    expect(replicaBytes).toBeGreaterThan(500);
    expect(rows).toHaveLength(18);
    for (const { what, times } of rows) expect([what, times.p50 > 0]).toEqual([what, true]);
  });

  it("measures what a new post costs", async () => {
    const options = { posts: 64, rounds: 1 };
    const [figures] = await measureWrites(database?.url ?? "", [join(import.meta.dirname, "../..")], options);
    for (const figure of Object.values(figures ?? {})) expect(figure).toBeGreaterThan(0);
    // A post has some hundred bytes of text.
    expect(figures?.oplog).toBeGreaterThan(600);
  });

  it("measures how many pushes two instances claim and settle", async () => {
    const checkout = join(import.meta.dirname, "../..");
    const load = { receivers: 10, each: 2, answerMs: 1 };
    expect(await measurePushes(database?.url ?? "", checkout, 2, load)).toBeGreaterThan(0);
  });
});

describe.skipIf(cluster === null)("bench/mongodb on a sharded cluster", () => {
  it("measures what moved queries cost", async () => {
    const options = { posts: 200, subscriptions: 100, rounds: 1, calls: 20, settleMs: 0 };
    const rows = await measureMovedQueries(cluster?.url ?? "", options);
    expect(rows).toHaveLength(9);
    for (const { name, together, apart } of rows)
      expect([name, Number(together?.p50) > 0, Number(apart?.p50) > 0]).toEqual([name, true, true]);
  });
});
