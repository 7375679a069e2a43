import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, eventually, register } from "../support/boards/client.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";

/** What a call may take, and room for a busy machine. */
const CALL_MS = 10_500;
const QUICK_MS = 1_000;

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("a board whose database is away", () => {
  let database: ReplicaSet;
  let board: TestBoard;
  let key: string;
  const acknowledged: string[] = [];
  const refused: Answer[] = [];

  beforeAll(async () => {
    database = await ReplicaSet.start(mongod ?? [], 1);
    board = await startBoard({ STORE_URL: database.url("away_board") });
    key = (await register(board)).key;
    for (const bike of ["road", "city", "cargo"]) await write(`A ${bike} bike`);
    await eventually(
      () => call(board, "GET /search?q=bike"),
      ({ body }) => body.data.length === 3,
    );
  });
  afterAll(async () => {
    await database.startAll().catch(() => {});
    await board.stop();
    await database.stop();
  });

  const write = async (title: string): Promise<Answer> => {
    const post = { kind: "offer", title, body: `${title}, well kept.`, idempotency_key: title };
    const answer = await call(board, "POST /posts", post, { key });
    if (answer.status === 201) acknowledged.push(title);
    return answer;
  };
  const timed = async (ask: () => Promise<Answer>) => {
    const began = performance.now();
    const answer = await ask();
    return { ...answer, ms: performance.now() - began };
  };
  const titles = ({ body }: Answer): string[] =>
    body.data.map(({ title }: { title: string }) => title).sort();
  const search = (as?: string) =>
    timed(() => call(board, "GET /search?q=bike&limit=2", undefined, as === undefined ? {} : { key: as }));
  const readiness = () => call(board, `GET ${board.url}/readyz`);

  it("goes on with searches, says so, refuses writing at once, and loses nothing", async () => {
    database.pauseAll();
    const first = await Promise.all([search(), search(key), timed(() => write("A lost bike"))]);
    for (const { ms } of first) expect(ms).toBeLessThan(CALL_MS);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 503]);
    refused.push(first[2] as Answer);

    // Once the driver has noticed, nothing waits any more.
    const quick = await eventually(search, ({ ms }) => ms < QUICK_MS, 30_000);
    expect(quick.status).toBe(200);
    expect(titles(quick)).toHaveLength(2);
    expect(quick.body.meta.note).toContain("cannot reach its database");
    const next = await timed(() =>
      call(board, `GET /search?q=bike&limit=2&cursor=${quick.body.next_cursor}`),
    );
    expect([...titles(quick), ...titles(next)].sort()).toEqual([
      "A cargo bike",
      "A city bike",
      "A road bike",
    ]);
    const withKey = await search(key);
    expect(withKey.ms).toBeLessThan(QUICK_MS);
    expect(withKey.body.data[0].publisher.name).toBe("Tester");
    const late = await eventually(
      () => timed(() => write("A late bike")),
      ({ ms }) => ms < QUICK_MS,
      30_000,
    );
    refused.push(late);
    for (const { status, headers, body } of refused) {
      expect([status, body.error.code]).toEqual([503, "store_unavailable"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const ready = await readiness();
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ ok: false, store: false, reading: true, writing: false });

    await database.resumeAll();
    const back = await eventually(readiness, ({ status }) => status === 200);
    expect(back.body).toMatchObject({ ok: true, reading: true, writing: true });
    for (const title of ["A lost bike", "A late bike"]) {
      const again = await eventually(
        () => write(title),
        ({ status }) => status !== 503,
      );
      expect([200, 201]).toContain(again.status);
    }
    const found = await eventually(
      () => call(board, "GET /search?q=bike"),
      ({ body }) => body.data.length === 5,
    );
    expect(found.body.meta.note).toBeUndefined();
    expect(titles(found)).toEqual([
      "A cargo bike",
      "A city bike",
      "A late bike",
      "A lost bike",
      "A road bike",
    ]);
  }, 180_000);
});
