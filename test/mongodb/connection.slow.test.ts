import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import { connectMongodb, type MongodbConnection } from "../../src/store/mongodb/database/connection.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "connection");

describe.skipIf(database === null)("a connection to MongoDB", () => {
  const { url, db, drop } = database as NonNullable<typeof database>;
  const opened: MongodbConnection[] = [];
  const open = async (...args: Parameters<typeof connectMongodb>) => {
    const connection = await connectMongodb(...args);
    opened.push(connection);
    return connection;
  };

  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.close();
  });
  afterAll(drop);

  it("reads and writes as the store promises, whatever the URL says", async () => {
    const careless = new URL(url);
    const options = {
      readPreference: "secondaryPreferred",
      readConcernLevel: "local",
      w: "1",
      journal: "false",
      wtimeoutMS: "1",
      retryReads: "false",
      retryWrites: "false",
    };
    for (const [name, value] of Object.entries(options)) careless.searchParams.set(name, value);
    const { client } = await open(careless.href);
    expect(client.options).toMatchObject({
      readPreference: { mode: "primary" },
      readConcern: { level: "majority" },
      writeConcern: { w: "majority", journal: true, wtimeoutMS: 10_000 },
      retryReads: true,
      retryWrites: true,
    });
  });

  it("counts the wait for its turn as part of a write's patience", async () => {
    const connection = await open(url, { patienceMs: 500 });
    const ran: number[] = [];
    const slow = connection.write(["post:a"], async () => {
      await sleep(800);
      ran.push(0);
    });
    const queued = await Promise.allSettled(
      [1, 2, 3].map((n) => connection.write(["post:a"], async () => void ran.push(n))),
    );
    await slow;
    expect(queued.map((result) => result.status === "rejected" && result.reason)).toEqual(
      [1, 2, 3].map(() => expect.any(StoreUnavailable)),
    );
    expect(ran).toEqual([0]);
  });

  it("says that the database cannot do it now when a cursor is lost on the way", async () => {
    await db.collection("things").insertMany([{}, {}, {}], { writeConcern: { w: "majority" } });
    const connection = await open(url);
    const cursor = connection.db.collection("things").find({}, { batchSize: 1 });
    const lost = connection.run(async () => {
      await cursor.next();
      await db.command({ killCursors: "things", cursors: [cursor.id] });
      return cursor.toArray();
    });
    await expect(lost).rejects.toThrow(StoreUnavailable);
  });
});
