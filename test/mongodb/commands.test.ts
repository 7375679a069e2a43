import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { CommandLog, inARow, type SentCommand, writesAmong } from "../support/mongodb/commands.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "commands");

/** After this long without work the pauses between looks are longest; and how long they are watched then. */
const LULLED_MS = 7_000;
const LULL_MS = 10_000;

describe.skipIf(database === null)("the commands that a call waits for, one after another", () => {
  const { url, drop } = database as NonNullable<typeof database>;
  let board: TestBoard;
  let log: CommandLog;
  let key: string;
  let other: string;

  beforeAll(async () => {
    const monitored = new URL(url);
    monitored.searchParams.set("monitorCommands", "true");
    board = await startBoard({ STORE_URL: monitored.href }, { idle: true });
    log = new CommandLog((board.board.store as MongodbStore).connection.client);
    key = (await register(board)).key;
    other = (await register(board, "Other")).key;
  });
  afterAll(async () => {
    await board.stop();
    await drop();
  });

  let n = 0;
  const aPost = () => {
    n += 1;
    const title = `Number ${n} ${crypto.randomUUID()}`;
    return { kind: "thread", title, body: `About ${crypto.randomUUID()} and ${crypto.randomUUID()}.` };
  };
  const created = async (more: object = {}, as = key): Promise<string> =>
    (await call(board, "POST /posts", { ...aPost(), ...more }, { key: as })).body.data.id;
  /**
   * Of calls like one before, since the first fills what a process remembers: those of the call with the shortest row. On a
   * busy machine, commands sent side by side may happen to follow each other; none that follow are ever side by side.
   */
  const sent = async (request: () => Promise<unknown>): Promise<SentCommand[]> => {
    await request();
    const calls: SentCommand[][] = [];
    for (let n = 0; n < 6; n += 1) calls.push(await log.of(request));
    return calls.sort((a, b) => inARow(a) - inARow(b))[0] ?? [];
  };

  it("are at most 4 for a new post", async () => {
    expect(inARow(await sent(() => created()))).toBeLessThanOrEqual(4);
    expect(inARow(await sent(() => created({ idempotency_key: `k${n}` })))).toBeLessThanOrEqual(5);
  });

  it("are at most 6 for a reply", async () => {
    const root = await created();
    await created({ parent_id: root }, other);
    expect(inARow(await sent(() => created({ parent_id: root }, other)))).toBeLessThanOrEqual(6);
  });

  it("are at most 2 for a post with its replies", async () => {
    const root = await created();
    await created({ parent_id: root }, other);
    expect(inARow(await sent(() => call(board, `GET /posts/${root}`)))).toBeLessThanOrEqual(2);
  });

  it("are at most 2 for a first page of a search, none of them a write", async () => {
    for (let post = 0; post < 5; post += 1) await created();
    let cursor = "";
    const page = async () => {
      const { body } = await call(board, `GET /search?q=number&limit=2${cursor}`);
      expect(body.data.length).toBeGreaterThan(0);
      return body;
    };
    const first = await sent(page);
    expect([inARow(first), writesAmong(first)]).toEqual([expect.toSatisfy((row) => row <= 2), []]);
    cursor = `&cursor=${(await page()).next_cursor}`;
    expect(inARow(await sent(page))).toBeLessThanOrEqual(2);
  });

  it("are at most 6 for pending matches", async () => {
    const saved = await call(board, "POST /subscriptions", { query: { q: "number" } }, { key });
    const { subscriptions } = board.board.store;
    const postId = await created();
    await subscriptions.deliver([{ subscriptionId: saved.body.data.id, postId, matchedAt: Date.now() }], []);
    const pending = () => call(board, `GET /subscriptions/${saved.body.data.id}/pending`, undefined, { key });
    expect((await pending()).body.data).toHaveLength(1);
    expect(inARow(await sent(pending))).toBeLessThanOrEqual(6);
  });

  it("are about one a second while nothing happens", { timeout: 60_000 }, async () => {
    const monitored = new URL(url);
    monitored.searchParams.set("monitorCommands", "true");
    const quiet = await startBoard({ STORE_URL: monitored.href });
    try {
      const own = new CommandLog((quiet.board.store as MongodbStore).connection.client);
      await new Promise((resolve) => setTimeout(resolve, LULLED_MS));
      const looks = await own.of(() => new Promise((resolve) => setTimeout(resolve, LULL_MS)));
      expect(looks.length).toBeGreaterThan(0);
      expect(looks.length / (LULL_MS / 1000)).toBeLessThanOrEqual(2);
    } finally {
      await quiet.stop();
    }
  });
});
