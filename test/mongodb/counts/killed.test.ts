import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMongodb } from "../../../src/store/mongodb/index.ts";
import type { BoardCountsDocument } from "../../../src/store/mongodb/schema/counts.ts";
import { BoardProcess, boardEnvironment, PROGRAM } from "../../support/boards/board-process.ts";
import { eventually } from "../../support/boards/client.ts";
import { mongodbFor, type TestDatabase } from "../../support/mongodb/mongodb.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";

const [database, imported] = await Promise.all([
  mongodbFor("replicaSet", "killed"),
  mongodbFor("replicaSet", "imported"),
]);
/** A lease ends after 15 s. */
const PATIENCE_MS = 90_000;
const HOUR_MS = 3_600_000;
/** Posts of earlier hours. */
const EARLIER = 9;

describe.skipIf(database === null || imported === null)("the counts of a board", () => {
  let folder: string;
  const boards: BoardProcess[] = [];
  const environment = (of: TestDatabase | null) => ({
    DATA_DIR: folder,
    STORE_URL: of?.url ?? "",
    SECRET_KEY: "k".repeat(40),
  });
  const start = async (of: TestDatabase | null) => {
    const board = await BoardProcess.start(environment(of));
    boards.push(board);
    return board;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "counts-"));
  });
  afterAll(async () => {
    for (const board of boards) await board.kill();
    await Promise.all([database?.drop(), imported?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const send = async (board: BoardProcess, path: string, body: object, key?: string) => {
    const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
    const response = await fetch(`${board.api}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { data: { api_key?: string } }).data;
  };
  const newPublisher = async (board: BoardProcess) =>
    (await send(board, "/publishers", { name: "Tester", accept_terms: true })).api_key ?? "";
  const write = (board: BoardProcess, key: string, title: string) =>
    send(board, "/posts", { kind: "thread", title, body: `About ${title}.`, tags: ["new", "all"] }, key);
  /** Posts of earlier hours, whose tags are counted by the hour. */
  const fill = async () => {
    const store = await openMongodb(database?.url ?? "");
    const now = Date.now();
    await store.publishers.insert(aPublisher("pub_a", { createdAt: now }));
    for (let n = 1; n <= EARLIER; n += 1) {
      const createdAt = now - n * 2 * HOUR_MS;
      const times = { createdAt, updatedAt: createdAt, expiresAt: now + 24 * HOUR_MS };
      await store.posts.insert(aPost(`p_${n}`, { ...times, kind: "offer", tags: ["old", "all"] }));
    }
    await store.close();
  };
  const tagsOf = (news: number) => [
    { tag: "all", count: EARLIER + news },
    { tag: "old", count: EARLIER },
    { tag: "new", count: news },
  ];
  /** The kept figures once they hold so many new posts. */
  const keptWith = (of: TestDatabase | null, posts: number) =>
    eventually(
      async () => of?.db.collection<BoardCountsDocument>("board_counts").findOne({ _id: "board" }),
      (found) => found?.kinds.thread === posts && found.at !== null && found.tags_at !== null,
      PATIENCE_MS,
    );

  it("are right again after the process that kept them was killed in the midst of writing", async () => {
    await fill();
    const keeper = await start(database);
    const key = await newPublisher(keeper);
    await write(keeper, key, "before");
    const before = { kinds: { thread: 1, offer: EARLIER }, publishers: 2, top_tags: tagsOf(1) };
    expect(await keptWith(database, 1)).toMatchObject(before);
    const other = await start(database);
    // What the killed process acknowledged last is in no kept figure yet.
    for (const n of ["one", "two", "three"]) await write(keeper, key, n);
    await keeper.kill("SIGKILL");
    await write(other, key, "after");
    await newPublisher(other);
    const after = { kinds: { thread: 5, offer: EARLIER }, publishers: 3, top_tags: tagsOf(5) };
    expect(await keptWith(database, 5)).toMatchObject(after);
  }, 300_000);

  it("hold what was imported", async () => {
    const run = (of: TestDatabase | null, ...args: string[]) =>
      promisify(execFile)(process.execPath, [...PROGRAM, ...args], {
        env: boardEnvironment(environment(of)),
      });
    const file = join(folder, "board.jsonl");
    await run(database, "export", file);
    const board = await start(imported);
    await run(imported, "import", file);
    const whole = { kinds: { thread: 5, offer: EARLIER }, publishers: 3, top_tags: tagsOf(5) };
    expect(await keptWith(imported, 5)).toMatchObject(whole);
    const key = await newPublisher(board);
    await write(board, key, "one more");
    const more = { kinds: { thread: 6, offer: EARLIER }, publishers: 4, top_tags: tagsOf(6) };
    expect(await keptWith(imported, 6)).toMatchObject(more);
  }, 300_000);
});
