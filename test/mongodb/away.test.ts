import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, MongoNetworkError, MongoServerSelectionError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import { connectMongodb, type MongodbConnection } from "../../src/store/mongodb/server/connection.ts";
import { eventually } from "../support/boards/client.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";

/** What a call may take, and room for a busy machine. */
const CALL_MS = 10_500;

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("a database that is away", () => {
  let database: ReplicaSet;
  let connection: MongodbConnection;
  let things: Collection<{ _id: string }>;

  beforeAll(async () => {
    database = await ReplicaSet.start(mongod ?? [], 1);
    connection = await connectMongodb(database.url("away"));
    things = connection.db.collection<{ _id: string }>("things");
  });
  afterAll(async () => {
    // Pending calls end only with their server.
    await database.stop();
    await connection.close();
  });

  /** The outcome of a call, and how long it took. */
  const timed = async (ask: () => Promise<unknown>) => {
    const began = performance.now();
    const outcome = await ask().then(
      () => "answered",
      (error: unknown) => error,
    );
    return { outcome, ms: performance.now() - began };
  };
  const reading = () => timed(() => connection.run(() => things.findOne({ _id: "a" })));
  const writing = (n: number) =>
    timed(() => connection.write([], (session) => things.insertOne({ _id: `w${n}` }, { session })));

  it("gets no call to wait longer than 10 s, refuses others at once, and is asked again when it is back", async () => {
    expect((await reading()).outcome).toBe("answered");
    // Many at once: those that wait for a connection end otherwise than those that wait for an answer.
    const inFlight = () => Promise.all([...Array(80)].flatMap((_, n) => [reading(), writing(n)]));
    database.pauseAll();
    for (const { outcome, ms } of await inFlight()) {
      expect(outcome).toBeInstanceOf(StoreUnavailable);
      expect(ms).toBeLessThan(CALL_MS);
    }
    const quick = await eventually(reading, ({ ms }) => ms < 100, 60_000);
    expect(quick.outcome).toBeInstanceOf(StoreUnavailable);
    expect((await writing(100)).ms).toBeLessThan(100);
    await database.resumeAll();
    const back = await eventually(reading, ({ outcome }) => outcome === "answered", 20_000);
    expect(back.outcome).toBe("answered");
    expect((await writing(101)).outcome).toBe("answered");
  }, 180_000);

  it("is told by every error of a connection, whatever its name", async () => {
    class Unheard extends MongoNetworkError {
      override get name() {
        return "PoolClearedOnNetworkError";
      }
    }
    for (const error of [new Unheard("gone"), new MongoServerSelectionError("gone", {} as never)]) {
      await expect(connection.run(() => Promise.reject(error))).rejects.toThrow(StoreUnavailable);
    }
  });

  it("means an error of the store for every call that a killed server leaves", async () => {
    const outcomes: unknown[] = [];
    let over = false;
    const readers = Promise.all(
      [...Array(60)].map(async () => {
        while (!over) {
          outcomes.push((await reading()).outcome);
          await sleep(10);
        }
      }),
    );
    await sleep(300);
    await database.killAll();
    await sleep(7_000);
    await database.startAll();
    over = true;
    await readers;
    const failures = outcomes.filter((outcome) => outcome !== "answered");
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
  }, 180_000);
});
