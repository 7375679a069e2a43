import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess, freePort } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";
import { prose } from "../support/texts/prose.ts";

const QUERIES = 90;
const PARTS_EACH = 20;
const mongod = await mongodCommand();

/** Three boards over a replica set of three members, which share the saved queries. */
describe.skipIf(mongod === null)("saved queries shared by three processes", () => {
  let database: ReplicaSet;
  let folder: string;
  let key: string;
  const boards: { board: BoardProcess; admin: number }[] = [];
  const saved: string[] = [];
  const written: string[] = [];

  beforeAll(async () => {
    database = await ReplicaSet.start(mongod ?? [], 3);
    folder = await mkdtemp(join(tmpdir(), "shared-matching-"));
    for (const name of ["one", "two", "three"]) {
      const admin = await freePort();
      const board = await BoardProcess.start({
        DATA_DIR: join(folder, name),
        STORE_URL: database.url("board"),
        ADMIN_PORT: String(admin),
        SECRET_KEY: "the same for all processes of the board",
        LOG_LEVEL: "fatal",
      });
      boards.push({ board, admin });
    }
    for (let publisher = 0; publisher < 3; publisher += 1) {
      const { key: own } = await register(boards[0]?.board as BoardProcess);
      key = own;
      for (let n = 0; n < QUERIES / 3; n += 1) {
        const { body } = await call(at(n), "POST /subscriptions", { query: { tags: "shared" } }, { key });
        saved.push(`${own} ${body.data.id}`);
      }
    }
  });
  afterAll(async () => {
    await Promise.all(boards.map(({ board }) => board.kill()));
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (n: number) => (boards[n % boards.length] as (typeof boards)[number]).board;
  const gauge = async (n: number, name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${boards[n]?.admin}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  const shareOf = async (alive: readonly number[]) => ({
    parts: await Promise.all(alive.map((n) => gauge(n, "board_parts_owned"))),
    queries: await Promise.all(alive.map((n) => gauge(n, "board_saved_queries_held"))),
  });
  const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
  /** Waits until these processes have equal parts and, after the next post, all queries in memory once. */
  const shared = async (alive: readonly number[]) => {
    const parts = alive.map(() => (3 * PARTS_EACH) / alive.length);
    const now = await eventually(
      async () => {
        await write(alive[0] ?? 0);
        return shareOf(alive);
      },
      (share) => `${share.parts}` === `${parts}` && sum(share.queries) === QUERIES,
      30_000,
    );
    expect(now.parts).toEqual(parts);
    expect(sum(now.queries)).toBe(QUERIES);
    for (const n of alive)
      expect(await gauge(n, "board_saved_queries_bytes")).toBeGreaterThan(1_000 * (now.queries[n] ?? 0));
    return now;
  };
  const write = async (n: number) => {
    const post = { kind: "thread", title: prose(), body: prose(), tags: ["shared"] };
    const { status, body } = await call(at(n), "POST /posts", post, { key });
    expect(status).toBe(201);
    written.push(body.data.id);
  };
  const matched = async (n: number, query: string): Promise<string[]> => {
    const [own = "", id = ""] = query.split(" ");
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await call(at(n), `GET /subscriptions/${id}/pending?limit=100${cursor}`, undefined, {
        key: own,
      });
      if (page.body.data.length === 0) return ids;
      ids.push(...page.body.data.map((match: { id: string }) => match.id));
      cursor = `&cursor=${page.body.next_cursor}`;
    }
  };
  /** Each post matched each query, once. */
  const allMatched = async (n: number) => {
    for (const query of saved) {
      const ids = await eventually(
        () => matched(n, query),
        (found) => found.length >= written.length,
        30_000,
      );
      expect(ids.toSorted()).toEqual(written.toSorted());
    }
  };

  it("are held by one each, a third of them in each memory", { timeout: 120_000 }, async () => {
    const { queries } = await shared([0, 1, 2]);
    expect(Math.min(...queries)).toBeGreaterThan(QUERIES / 6);
    await allMatched(0);
  });

  it("are all matched once while a process hangs, and after it goes on", { timeout: 240_000 }, async () => {
    for (let n = 0; n < 5; n += 1) await write(n);
    process.kill(at(1).pid as number, "SIGSTOP");
    for (let n = 0; n < 10; n += 1) await write(n % 2 === 0 ? 0 : 2);
    await shared([0, 2]);
    await allMatched(0);
    process.kill(at(1).pid as number, "SIGCONT");
    for (let n = 0; n < 10; n += 1) await write(n);
    await shared([0, 1, 2]);
    await allMatched(1);
  });

  it("are all matched once when a process is killed, and one joins", { timeout: 240_000 }, async () => {
    for (let n = 0; n < 5; n += 1) await write(n);
    await at(2).kill();
    for (let n = 0; n < 10; n += 1) await write(n % 2);
    await shared([0, 1]);
    await allMatched(0);
    await at(2).start();
    await shared([0, 1, 2]);
    await at(0).kill("SIGTERM");
    await shared([1, 2]);
    await allMatched(1);
  });
});
