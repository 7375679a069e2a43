import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
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
  const withOptions = (options: Record<string, string>) => {
    const changed = new URL(url);
    for (const [name, value] of Object.entries(options)) changed.searchParams.set(name, value);
    return changed.href;
  };

  afterEach(async () => {
    vi.useRealTimers();
    for (const connection of opened.splice(0)) await connection.close();
  });
  afterAll(drop);

  it("reads and writes as the store promises, whatever the URL says", async () => {
    const careless = withOptions({
      readPreference: "secondaryPreferred",
      readConcernLevel: "local",
      w: "1",
      journal: "false",
      wtimeoutMS: "1",
      retryReads: "false",
      retryWrites: "false",
    });
    const { client } = await open(careless);
    expect(client.options).toMatchObject({
      readPreference: { mode: "primary" },
      readConcern: { level: "majority" },
      writeConcern: { w: "majority", journal: true, wtimeoutMS: 10_000 },
      retryReads: true,
      retryWrites: true,
    });
  });

  it("notices within seconds that a server is lost, and keeps as many connections as the URL says", async () => {
    const { client } = await open(url);
    expect(client.options).toMatchObject({
      heartbeatFrequencyMS: 2_500,
      connectTimeoutMS: 5_000,
      serverSelectionTimeoutMS: 5_000,
      waitQueueTimeoutMS: 5_000,
      socketTimeoutMS: 30_000,
      maxIdleTimeMS: 60_000,
      minPoolSize: 2,
      maxPoolSize: 50,
    });
    const asked = await open(withOptions({ minPoolSize: "1", maxPoolSize: "7" }), { answerMs: 0 });
    expect(asked.client.options).toMatchObject({ minPoolSize: 1, maxPoolSize: 7, socketTimeoutMS: 0 });
  });

  it.each([
    ["", "agent_board"],
    ["/other", "other"],
    ["/k%C3%BCche", "küche"],
  ])("takes the path %j for the database %s", async (path, name) => {
    const named = new URL(url);
    named.pathname = path;
    expect((await open(named.href)).db.databaseName).toBe(name);
  });

  it("ends a call after 10 s, and at once where no server has taken writes for 5 s; long work goes on", async () => {
    const connection = await open(url);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const ended: string[] = [];
    let answer = () => {};
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    for (const [name, run] of Object.entries({ short: connection.run, long: connection.runLong }))
      void run(() => silence).catch((error) => ended.push(`${name}: ${error.message}`));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual([expect.stringMatching(/^short: .*did not answer within 10 s/)]);
    answer();

    const see = (...types: string[]) => {
      const servers = new Map(types.map((type) => [type, { type }]));
      connection.client.emit("topologyDescriptionChanged", { newDescription: { servers } } as never);
    };
    const asks = () => connection.run(async () => "answered").catch((error) => error.message);
    see("RSSecondary", "Unknown");
    vi.advanceTimersByTime(3_000);
    see("RSSecondary");
    vi.advanceTimersByTime(2_000);
    expect(await asks()).toBe("answered");
    vi.advanceTimersByTime(1);
    expect(await asks()).toContain("has no primary");
    see("RSSecondary", "RSPrimary");
    expect(await asks()).toBe("answered");
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
