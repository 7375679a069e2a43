import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BoardCountsDocument } from "../../../src/store/mongodb/schema/counts.ts";
import { BoardProcess, boardEnvironment, PROGRAM } from "../../support/boards/board-process.ts";
import { eventually } from "../../support/boards/client.ts";
import { mongodbFor, type TestDatabase } from "../../support/mongodb/mongodb.ts";

const [database, imported] = await Promise.all([
  mongodbFor("replicaSet", "killed"),
  mongodbFor("replicaSet", "imported"),
]);
/** A lease ends after 15 s. */
const PATIENCE_MS = 90_000;

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
    send(board, "/posts", { kind: "thread", title, body: `About ${title}.` }, key);
  /** The kept figures once they hold so many posts. */
  const keptWith = (of: TestDatabase | null, posts: number) =>
    eventually(
      async () => of?.db.collection<BoardCountsDocument>("board_counts").findOne({ _id: "board" }),
      (found) => found?.kinds.thread === posts && found.at !== null,
      PATIENCE_MS,
    );

  it("are right again after the process that kept them was killed in the midst of writing", async () => {
    const keeper = await start(database);
    const key = await newPublisher(keeper);
    await write(keeper, key, "before");
    expect(await keptWith(database, 1)).toMatchObject({ kinds: { thread: 1 }, publishers: 1 });
    const other = await start(database);
    // What the killed process acknowledged last is in no kept figure yet.
    for (const n of ["one", "two", "three"]) await write(keeper, key, n);
    await keeper.kill("SIGKILL");
    await write(other, key, "after");
    await newPublisher(other);
    expect(await keptWith(database, 5)).toMatchObject({ kinds: { thread: 5 }, publishers: 2 });
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
    expect(await keptWith(imported, 5)).toMatchObject({ kinds: { thread: 5 }, publishers: 2 });
    const key = await newPublisher(board);
    await write(board, key, "one more");
    expect(await keptWith(imported, 6)).toMatchObject({ kinds: { thread: 6 }, publishers: 3 });
  }, 300_000);
});
