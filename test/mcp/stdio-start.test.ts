import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROGRAM } from "../support/boards/board-process.ts";
import { recordedCatalog, STALE } from "../support/recorded/catalog.ts";

const ROOT = join(import.meta.dirname, "../..");
const ME = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
type Message = any;

let folder: string;
let child: ChildProcessWithoutNullStreams | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stdio-start-"));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Starts a board over stdio. `ask` resolves to the answer; `ended` to the code and what stderr said. */
function start(environment: Record<string, string> = {}) {
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: folder, EMBEDDINGS: "off", ...environment };
  const board = spawn(process.execPath, [...PROGRAM, "stdio"], {
    env,
    cwd: ROOT,
  });
  child = board;
  let [stdout, stderr, sent] = ["", "", 0];
  const waiting = new Map<number, (answer: Message) => void>();
  board.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    const lines = stdout.split("\n");
    stdout = lines.pop() ?? "";
    for (const answer of lines.map((line) => JSON.parse(line))) waiting.get(answer.id)?.(answer);
  });
  board.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const tell = (message: object) => board.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object = {}): Promise<Message> => {
    sent += 1;
    const id = sent;
    tell({ id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const call = async (name: string, args: object = {}): Promise<string> =>
    (await ask("tools/call", { name, arguments: args })).result.content[0].text;
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    board.once("close", (code) => resolve({ code, stderr })),
  );
  return { ask, call, tell, ended, end: () => board.stdin.end() };
}

describe("over stdio, a board that has just been started", () => {
  it("answers the handshake and the lists without its store, and calls with the reason why it has none", async () => {
    await writeFile(join(folder, "board.db"), "this is no database. ".repeat(1000));
    const board = start();
    expect((await board.ask("initialize", ME)).result.serverInfo.name).toBe("agent-board");
    const names = (await board.ask("tools/list")).result.tools.map(({ name }: { name: string }) => name);
    expect(names, STALE).toEqual(recordedCatalog().tools.map(({ name }) => name));
    expect((await board.ask("prompts/list")).result.prompts.length).toBeGreaterThan(0);
    const { error } = await board.ask("tools/call", { name: "about", arguments: {} });
    expect(error.message).toBe("The board cannot be opened; the reason is on this server's stderr.");
    const { code, stderr } = await board.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("board.db");
  });

  it("lets calls that come before it is open wait for it, in any order", async () => {
    const board = start();
    const answers = [board.call("search", { q: "a bike" }), board.ask("tools/list"), board.call("about")];
    void board.ask("initialize", ME);
    const order: string[] = [];
    await Promise.all(
      answers.map((answer, i) => answer.then(() => order.push(["search", "list", "about"][i] ?? ""))),
    );
    expect(order[0]).toBe("list");
    expect(await answers[0]).toContain("No posts");
    board.end();
    expect((await board.ended).code).toBe(0);
  });
});

describe("over stdio, links", () => {
  const post = { title: "Repair your own bicycle", body: "We lend tools." };

  /** What a board answers to calls whose answers carry addresses. */
  async function answersOf(board: ReturnType<typeof start>): Promise<string[]> {
    await board.ask("initialize", ME);
    const refused = await board.call("register_publisher", { name: "Kitchen" });
    const registered = await board.call("register_publisher", { name: "Kitchen", accept_terms: true });
    const key = { api_key: /api_key: (\w+)/.exec(registered)?.[1] ?? "" };
    const created = await board.call("create_post", { ...post, ...key });
    const id = /^id: (\S+)$/m.exec(created)?.[1] ?? "";
    const answers = [
      refused,
      registered,
      created,
      await board.call("search", { q: "bicycle" }),
      await board.call("search", { q: "bicycle", detail: "full" }),
      await board.call("get_post", { id }),
      await board.call("about"),
      await board.call("subscribe", { query: { q: "bicycle" }, ...key }),
    ];
    board.end();
    expect((await board.ended).code).toBe(0);
    expect(answers.join("\n")).toContain(post.title);
    return answers;
  }

  it("lead nowhere without SITE_URL: the answers name the calls to make instead", async () => {
    const board = start();
    const answers = await answersOf(board);
    for (const answer of answers) expect(answer).not.toMatch(/localhost|127\.0\.0\.1/);
    const [refused, , created, found] = answers;
    expect(refused).toContain("board://terms");
    expect(created).toMatch(/^read it: get_post \{"id":"\w+"\}$/m);
    expect(found).toContain("Read one with `get_post`.");
  });

  it("are those of SITE_URL where it is set", async () => {
    const answers = await answersOf(start({ SITE_URL: "https://board.example" }));
    const [refused, registered, created, found, whole] = answers;
    expect(refused).toContain("https://board.example/terms");
    expect(registered).toContain("crier_url: https://board.example/publishers/pub_");
    expect(created).toMatch(/^url: https:\/\/board\.example\/p\/\w+$/m);
    expect(found).toContain("Page of a post: https://board.example/p/ID");
    expect(whole).toContain("page https://board.example/p/");
  });

  it("come with a manual that says so, and with the terms", async () => {
    const board = start();
    await board.ask("initialize", ME);
    const read = async (uri: string) => (await board.ask("resources/read", { uri })).result.contents[0].text;
    expect(await read("board://manual")).toMatch(/^\*Nothing answers at the web addresses below/);
    expect(await read("skill://post-well/SKILL.md")).toMatch(
      /^---\nname: post-well\n(.*\n)+---\n\n\*Nothing/,
    );
    expect(await read("board://terms")).toContain("# Terms");
    board.end();
    expect((await board.ended).code).toBe(0);
  });
});
