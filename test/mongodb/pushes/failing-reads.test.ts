import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openMongodb } from "../../../src/store/mongodb/index.ts";
import { LEASE_MS, NOW, named, preparePushes } from "../../contract/store/pushes/prepare.ts";
import { mongodCommand, startServer, stopServers } from "../../support/mongodb/mongod.ts";
import { aPublisher } from "../../support/search/rows.ts";

const isThere = (await mongodCommand()) !== null;

/** Of a server that fails on request. */
describe.skipIf(!isThere)("a claim of pushes whose reads fail", async () => {
  if (!isThere) return;
  const folder = mkdtempSync(join(tmpdir(), "failing-reads-"));
  const started = await startServer("replicaSet", folder, "--setParameter enableTestCommands=1");
  if ("missing" in started) throw new Error(started.missing);
  const url = new URL(started.uri);
  url.pathname = "/board";
  const store = await openMongodb(url.href);
  const { claim, consenting, match } = preparePushes(store);
  afterAll(async () => {
    await store.close();
    await stopServers(folder);
  });

  it("gives up what it has claimed, and the next one gets it", async () => {
    await store.publishers.insert(aPublisher("pub_a"));
    for (const n of [1, 2, 3]) await consenting(`sub_${n}`, "https://a.example");
    for (const n of [1, 2, 3]) await match(`sub_${n}`, 1);
    const BAD_VALUE = 2;
    await store.connection.client.db("admin").command({
      configureFailPoint: "failCommand",
      mode: { times: 1 },
      data: { failCommands: ["find"], namespace: "board.pushes", errorCode: BAD_VALUE },
    });
    const caps = { perOrigin: 3 };
    await expect(claim(caps)).rejects.toThrow(/failCommand/);
    const claimed = await claim(caps);
    expect(named(claimed).sort()).toEqual(["sub_1 1", "sub_2 1", "sub_3 1"]);
    expect(claimed.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    expect(await claim({ ...caps, now: NOW + LEASE_MS - 1 })).toEqual([]);
  });
});
