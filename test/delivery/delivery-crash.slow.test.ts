import { expect, it } from "vitest";
import { crashRun } from "../../bench/delivery-crash.ts";
import { ON_MONGODB } from "../support/boards/board.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

it("a board killed during delivery tells each post, change and series once, under one id, and sends nothing forbidden", async () => {
  const database = ON_MONGODB ? await mongodbFor("replicaSet", "crash") : null;
  const run = await crashRun({ posts: 10, kills: 2, ...(database && { storeUrl: database.url }) });
  expect(run).toMatchObject({ matches: 520, changes: 80, missing: 0, unstable: 0, unasked: 0, erased: 0 });
  await database?.drop();
});
