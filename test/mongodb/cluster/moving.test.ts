import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/ports/store/index.ts";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import { COLLECTIONS } from "../../../src/store/mongodb/schema/collections.ts";
import { MOVED_TOGETHER, SHARD_KEYS } from "../../../src/store/mongodb/schema/shards.ts";
import { type Parts, unshardedFinding } from "../../../src/store/mongodb/server/examine/shards.ts";
import { examineStore } from "../../../src/store/open.ts";
import { BusyStore, RECEIVING } from "../../support/mongodb/busy-store.ts";
import { mongodbFor } from "../../support/mongodb/mongodb.ts";
import { shardsOf, withoutWait } from "../../support/mongodb/moves.ts";
import { startSecondMongos } from "../../support/mongodb/second-mongos.ts";

const database = await mongodbFor("cluster", "moving");

describe.skipIf(database === null)("on a sharded cluster, saved queries", () => {
  const { url, db, drop } = database as NonNullable<typeof database>;
  let one: MongodbStore;
  let other: MongodbStore;
  let mongos: Awaited<ReturnType<typeof startSecondMongos>>;
  let moves: Awaited<ReturnType<typeof withoutWait>>;

  beforeAll(async () => {
    mongos = await startSecondMongos(db);
    one = await openMongodb(url);
    other = await openMongodb(Object.assign(new URL(url), { host: mongos.host }).href);
    moves = await withoutWait(db);
  });
  afterAll(async () => {
    await moves?.restore();
    await Promise.all([one?.close(), other?.close()]);
    await mongos?.stop();
    await drop();
  });

  const unsharded = async () => {
    for await (const { about, level, text } of examineStore(url, Date.now))
      if (about === "unsharded") return `${level} ${text}`;
    return "";
  };

  /** The moves that doctor advises, as mongosh would make them. */
  const advised = async () => {
    const found: { moveCollection: string; toShard: string }[] = [];
    const moveCollection = (name: string, toShard: string) =>
      void found.push({ moveCollection: name, toShard });
    const commands = (await unsharded()).match(/for \(.*$/)?.[0] ?? "";
    runInNewContext(commands, { sh: { moveCollection } });
    return found;
  };
  const make = async (some: Awaited<ReturnType<typeof advised>>) => {
    for (const move of some) {
      await db.admin().command(move);
      // The board works in each state for a while.
      await sleep(500);
    }
  };

  it("move away and back beneath a board at work, which loses and doubles nothing", async () => {
    const before = await unsharded();
    expect(before).toMatch(
      new RegExp(`^ok ${UNSHARDED} collections on \\S+, \\d+\\.\\d MB; these may move, and need not: for `),
    );
    const busy = new BusyStore(one, other);
    await busy.start();
    await sleep(1_000);

    const all = await advised();
    expect(all.map(({ moveCollection }) => moveCollection)).toEqual(
      MOVED_TOGETHER.map((name) => `${db.databaseName}.${name}`),
    );
    const [{ toShard: away } = { toShard: "" }] = all;
    await make(all.slice(0, 3));
    // One who stopped in between is told the rest.
    expect(await unsharded()).toMatch(/^warning .*; some are apart from what is written with them: for /);
    expect(await advised()).toEqual(all.slice(3));
    await make(all.slice(3));
    const home = /on (\S+),/.exec(before)?.[1] ?? "";
    expect(await unsharded()).toMatch(
      new RegExp(
        `^ok ${UNSHARDED - 8} collections on ${home}, [\\d.]+ MB; 8 collections on ${away}, [\\d.]+ MB$`,
      ),
    );
    await sleep(1_000);

    // To undo it, the first goes back, and the others are then told to follow.
    await make([{ moveCollection: `${db.databaseName}.${MOVED_TOGETHER[0]}`, toShard: home }]);
    await make(await advised());
    expect(await unsharded()).toMatch(new RegExp(`^ok ${UNSHARDED} collections on `));
    await sleep(1_000);
    await busy.finish();

    expect(busy.doubled).toEqual([]);
    expect(busy.posts.length).toBeGreaterThan(100);
    for (const id of busy.posts) expect(await one.posts.get(id), id).not.toBeNull();
    expect(busy.streamed).toEqual(new Set([...busy.streamed, ...busy.posts]));
    expect(busy.changed).toEqual(new Set([...busy.changed, ...busy.saved]));
    for (const id of busy.saved) expect(await one.subscriptions.get(id), id).not.toBeNull();
    expect(busy.entries).toEqual(busy.entries.map((_, i) => i + 1));
    expect(busy.entries).toHaveLength(RECEIVING.length * busy.posts.length);
    for (const id of RECEIVING) {
      const pushes = await one.pushes.list(id, { before: null, limit: 100_000 });
      expect(pushes.map(({ deliveryId }) => deliveryId).reverse()).toEqual(busy.posts.map((_, i) => i + 1));
      expect(new Set(pushes.map(({ postId }) => postId))).toEqual(new Set(busy.posts));
      expect(new Set(pushes.map(({ state }) => state))).toEqual(new Set(["delivered"]));
    }
  });

  /** Claims one push by `one`, after making it due, and resolves to how `other` settles it as failed. */
  const claimedByOne = async (now: number) => {
    await one.pushes.redeliver(RECEIVING[0] ?? "", 1, now);
    const options = { limit: 1, perOrigin: 50, failing: 50, leaseMs: 60_000 };
    const [push] = await one.pushes.claim({ ...options, now });
    if (push === undefined) throw new Error("nothing to claim");
    const attempt = { at: now, latencyMs: 1, status: 500, error: null };
    return () => other.pushes.settle(push, attempt, { state: "failed", dueAt: null, deactivate: null });
  };

  it("once moved, are seen by a transaction of a process at another mongos as it left them", async () => {
    await make(await advised());
    for (let n = 0; n < 20; n += 1) {
      const settle = await claimedByOne(Date.now() + n);
      expect(await settle()).toBe(true);
    }
  });

  it("are out of reach at worst while they lie apart against the advice", async () => {
    const moved = await one.collections.subscriptions.aggregate([{ $collStats: { count: {} } }]).next();
    const toShard = (await shardsOf(db)).find((shard) => shard !== moved?.["shard"]) ?? "";
    await make([{ moveCollection: `${db.databaseName}.subscriptions`, toShard }]);
    const settle = await claimedByOne(Date.now() + 1_000);
    await expect(settle()).rejects.toThrow(StoreUnavailable);
    await make(await advised());
    expect(await settle()).toBe(true);
  });
});

const UNSHARDED = COLLECTIONS.filter((name) => !(name in SHARD_KEYS)).length;

describe("what doctor says of unsharded collections", () => {
  /** Each on shard `a`, of so many bytes, unless said otherwise; the sharded ones are on both. */
  const partsWith = (bytes: number, places: Record<string, string> = {}): Parts =>
    new Map(
      COLLECTIONS.map((name) => [
        name,
        (name in SHARD_KEYS ? ["a", "b"] : [places[name] ?? "a"]).map((shard) => ({ shard, bytes })),
      ]),
    );

  it("is a warning once they crowd their shard", () => {
    expect(unshardedFinding(partsWith(50e6), "board", true)).toMatchObject({ level: "ok" });
    expect(unshardedFinding(partsWith(2_200e6 / UNSHARDED), "board", true)).toEqual({
      level: "warning",
      about: "unsharded",
      text: `${UNSHARDED} collections on a, 2200.0 MB, much for one shard; to move a part: for (const name of ${JSON.stringify(MOVED_TOGETHER)}) sh.moveCollection("board." + name, "b")`,
    });
  });

  it("names no command where the server has none", () => {
    expect(unshardedFinding(partsWith(2_200e6 / UNSHARDED), "board", false).text).toBe(
      `${UNSHARDED} collections on a, 2200.0 MB`,
    );
  });

  it("sends back what nothing is written with", () => {
    expect(unshardedFinding(partsWith(1e6, { work: "b" }), "board", true)).toMatchObject({
      level: "warning",
      text: expect.stringMatching(
        /: for \(const name of \["work"\]\) sh\.moveCollection\("board\." \+ name, "a"\)$/,
      ),
    });
  });
});
