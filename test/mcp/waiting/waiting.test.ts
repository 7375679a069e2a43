import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../../support/boards/board.ts";
import { PROGRAM } from "../../support/boards/board-process.ts";
import { call, eventually, register } from "../../support/boards/client.ts";
import { write } from "../../support/boards/writing.ts";

let board: TestBoard;
let me: { id: string; key: string };
let id: string;
beforeAll(async () => {
  board = await startBoard();
  me = await register(board);
  id = (await call(board, "POST /subscriptions", { query: { tags: "wait" } }, me)).body.data.id;
});
afterAll(() => board.stop());

/** `agent-board stdio` as a host runs it. */
class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly answers: { id?: number; result?: { content?: { text: string }[] } }[] = [];
  /** Resolves when it is gone. */
  readonly gone: Promise<unknown>;
  #no = 0;

  constructor(args: string[]) {
    this.process = spawn(process.execPath, [...PROGRAM, "stdio", ...args], {
      env: { ...process.env, DATA_DIR: board.dataDir, EMBEDDINGS: "off", BOARD_API_KEY: me.key },
    });
    this.process.stderr.resume();
    this.gone = new Promise((done) => this.process.once("exit", done));
    createInterface({ input: this.process.stdout }).on("line", (line) => this.answers.push(JSON.parse(line)));
    const clientInfo = { name: "test", version: "1" };
    this.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  }

  ask(method: string, params: object): number {
    this.#no += 1;
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#no, method, params })}\n`);
    return this.#no;
  }

  wait(cursor: string | null): number {
    const args = { id, wait_s: 50, ...(cursor === null ? {} : { cursor }) };
    return this.ask("tools/call", { name: "check_subscription", arguments: args });
  }

  cancel(requestId: number): void {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
    this.process.stdin.write(`${JSON.stringify(cancelled)}\n`);
  }

  async answer(no: number): Promise<string> {
    const given = () => this.answers.find((answer) => answer.id === no);
    const answer = await eventually(
      async () => given(),
      (each) => each !== undefined,
      60_000,
    );
    return answer?.result?.content?.[0]?.text ?? "";
  }
}

const cursor = async (): Promise<string | null> =>
  (await call(board, `GET /subscriptions/${id}/pending?limit=100`, undefined, me)).body.next_cursor;

const waitersOfTheBoard = (count: number) =>
  eventually(
    async () => board.board.services.waits.count,
    (waiting) => waiting === count,
  );

describe("over stdio, a call that waits", () => {
  it("hears of a match that another process made, and goes unanswered once it is cancelled", async () => {
    const child = new Child([]);
    const dropped = child.wait(await cursor());
    child.cancel(dropped);
    const waiting = child.wait(await cursor());
    await child.answer(child.ask("tools/list", {}));
    await write(board, me.key, { title: "From the other process", tags: ["wait"] });
    expect(await child.answer(waiting)).toContain('"From the other process"');
    expect(child.answers.filter((answer) => answer.id === dropped)).toEqual([]);
    child.process.stdin.end();
    await child.gone;
  });

  it("is answered when the host closes stdin, and the process ends", async () => {
    const child = new Child([]);
    const waiting = child.wait(await cursor());
    await child.answer(child.ask("tools/list", {}));
    child.process.stdin.end();
    expect(await child.answer(waiting)).toMatch(/about to stop[\s\S]*No new matches/);
    await child.gone;
  });
});

describe("through the relay, a call that waits", () => {
  it("is answered by the far board, and frees its place there when it is cancelled or the relay dies", async () => {
    const child = new Child(["--url", board.url]);
    const first = child.wait(await cursor());
    expect(await waitersOfTheBoard(1)).toBe(1);
    await write(board, me.key, { title: "Through the relay", tags: ["wait"] });
    expect(await child.answer(first)).toContain('"Through the relay"');

    const second = child.wait(await cursor());
    expect(await waitersOfTheBoard(1)).toBe(1);
    child.cancel(second);
    expect(await waitersOfTheBoard(0)).toBe(0);

    child.wait(await cursor());
    expect(await waitersOfTheBoard(1)).toBe(1);
    child.process.kill("SIGKILL");
    await child.gone;
    expect(await waitersOfTheBoard(0)).toBe(0);
  });
});
