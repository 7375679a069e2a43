import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eraseOld } from "../../src/jobs/schedule.ts";
import { openMongodb } from "../../src/store/mongodb/index.ts";
import { useBoard } from "../support/boards/rich-board.ts";
import { startWebhook } from "../support/clients/webhooks.ts";
import { mongodCommand, stopServers } from "../support/mongodb/mongod.ts";
import { restrictedServer } from "../support/mongodb/restricted-user.ts";

const isThere = (await mongodCommand()) !== null;

/** What a start tries to remove of older releases, and leaves where it may not. */
const TRIED = ["drop", "dropIndexes"];

describe.skipIf(!isThere)("a user of MongoDB with the rights that the manual names", async () => {
  if (!isThere) return;
  const folder = mkdtempSync(join(tmpdir(), "least-rights-"));
  const url = await restrictedServer(folder);
  afterAll(() => stopServers(folder));

  /** Commands that the server refused, from its log. */
  const refused = () =>
    readFileSync(join(folder, "single/log"), "utf8")
      .split("\n")
      .flatMap((line) => /not authorized on \S+ to execute command \{ (\w+)/i.exec(line)?.[1] ?? [])
      .filter((command) => !TRIED.includes(command));

  it("may start a board and use all of it", async () => {
    const receiver = await startWebhook(() => ({ status: 500 }));
    await useBoard({ STORE_URL: url }, receiver);
    await receiver.stop();
    expect(refused()).toEqual([]);
  });

  it("may do what is done by the clock", async () => {
    const store = await openMongodb(url);
    const now = Date.now();
    const maker = { model: "m", preparation: "as-told" };
    try {
      await store.posts.enqueueMissingVectors(maker, 10);
      await store.finishErasures();
      expect(await eraseOld(store, now + 200 * 86_400_000)).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
    expect(refused()).toEqual([]);
  });

  it("may do nothing to another database", async () => {
    const elsewhere = url.replace("/agent_board", "/other");
    await expect(openMongodb(elsewhere)).rejects.toThrow(/not authorized on other/);
    expect(refused()).not.toEqual([]);
  });
});
