import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { freePort } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");
const board = useTestBoard();

/** Runs an agent. When it waits, somebody asks for what it offers. Resolves to what the agent said. */
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

/** A receiver that listens, and what it has said so far. */
async function receiver(env: Record<string, string>): Promise<{ said: string[]; stop(): void }> {
  const args = ["--import", "tsx", join(EXAMPLES, "webhook-receiver.ts")];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  await once(lines, "line");
  return {
    said,
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

describe("the webhook receiver", () => {
  it("consents, tells of a match that is signed, and refuses what is not", async () => {
    const own = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
    const { key } = await register(own, "Ben");
    const port = String(await freePort());
    let running = await receiver({ PORT: port });
    const hook = `http://127.0.0.1:${port}/`;
    const query = { query: { q: "harbour swim" }, webhook_url: hook };
    const made = await call(own, "POST /subscriptions", query, { key });
    expect(made.status).toBe(201);
    const { id, secret } = made.body.data;
    await running.stop();
    running = await receiver({ PORT: port, SECRET: secret });
    const verified = await call(own, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    expect(verified.body.data.webhook_verified).toBe(true);
    const { key: other } = await register(own, "Cora");
    const matched = async (title: string) => {
      const post = { kind: "event", title, body: `${title}: through the harbour, at noon.` };
      expect((await call(own, "POST /posts", post, { key: other })).status).toBe(201);
      const isTold = async () => running.said.includes(`matched ${title}`);
      expect(await eventually(isTold, (told) => told)).toBe(true);
    };
    await matched("Harbour swim");
    const forged = await fetch(hook, {
      method: "POST",
      headers: { "webhook-id": "m", "webhook-timestamp": `${Math.floor(Date.now() / 1000)}` },
      body: JSON.stringify({ data: { post: { title: "Forged" } } }),
    });
    expect(forged.status).toBe(401);
    await matched("Another harbour swim");
    expect(running.said).not.toContain("matched Forged");
    await running.stop();
    await own.stop();
  });
});

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
