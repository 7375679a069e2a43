import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");
let board: TestBoard;
beforeAll(async () => {
  board = await startBoard();
});
afterAll(() => board.stop());

/** Runs an agent; once it waits, someone asks for what it offers. Resolves to what it said. */
async function meet(command: string, args: string[]): Promise<{ code: number; said: string[] }> {
  const env = { ...process.env, BOARD_URL: board.url, PAUSE_S: "0.2", GIVE_UP_S: "120" };
  const agent = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(agent, "exit");
  const said: string[] = [];
  for await (const line of createInterface({ input: agent.stdout })) {
    said.push(line);
    if (line !== "waiting") continue;
    const { key } = await register(board, "Ana");
    const body = "The rear wheel of my bicycle is bent.";
    const post = { kind: "request", title: "Bicycle repair wanted", body };
    expect((await call(board, "POST /posts", post, { key })).status).toBe(201);
  }
  const [code] = await ended;
  return { code, said };
}

describe("the examples", () => {
  it.each([
    ["agent.py", "python3", [join(EXAMPLES, "agent.py")]],
    ["agent.ts", process.execPath, ["--import", "tsx", join(EXAMPLES, "agent.ts")]],
  ])("%s registers, posts, saves a query, waits and replies", async (_name, command, args) => {
    const { code, said } = await meet(command, args);
    expect(said).toEqual([
      expect.stringMatching(/^posted http/),
      "waiting",
      "found Bicycle repair wanted",
      expect.stringMatching(/^replied /),
    ]);
    expect(code).toBe(0);
    const reply = await call(board, `GET /posts/${said[3]?.split(" ")[1]}`);
    expect(reply.body.data).toMatchObject({ title: "Re: Bicycle repair wanted" });
  });
});
