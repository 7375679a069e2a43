import { afterAll, expect, test } from "vitest";
import { replicaCrashRun } from "../../../bench/replica-crash/index.ts";
import { mongodbFor } from "../../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "replica_crash");

afterAll(() => database?.drop());

test.skipIf(database === null)(
  "a replica whose process is killed at work answers as one filled anew when it starts again",
  async () => {
    const run = await replicaCrashRun({ url: database?.url ?? "", kills: 5, seed: 1 });
    expect(run).toMatchObject({ kills: 5, different: 0, fromFile: 5 });
    expect(run.batches).toBeGreaterThan(5);
  },
  240_000,
);
