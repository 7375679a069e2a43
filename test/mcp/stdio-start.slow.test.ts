import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordedCatalog, STALE } from "../../scripts/recorded/catalog.ts";
import { idIn } from "../support/clients/mcp-clients.ts";
import { HANDSHAKE, StdioBoard, stdioCommand } from "../support/clients/stdio.ts";

let folder: string;
let board: StdioBoard;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stdio-start-"));
});
afterEach(async () => {
  board.process.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});
const start = (environment?: Record<string, string>) => {
  board = new StdioBoard(stdioCommand(folder, [], environment));
};

describe("over stdio, a board that has just been started", () => {
  it("answers the handshake and the lists without its store, and calls with the reason why it has none", async () => {
    await writeFile(join(folder, "board.db"), "this is no database. ".repeat(1000));
    start();
    // All are sent before the process ends, which it does once it knows that it has no store.
    const [handshake, tools, prompts, called] = await Promise.all([
      board.ask("initialize", HANDSHAKE),
      board.ask("tools/list"),
      board.ask("prompts/list"),
      board.ask("tools/call", { name: "about", arguments: {} }),
    ]);
    expect(handshake.result.serverInfo.name).toBe("agent-board");
    const names = tools.result.tools.map(({ name }: { name: string }) => name);
    expect(names, STALE).toEqual(recordedCatalog().tools.map(({ name }) => name));
    expect(prompts.result.prompts.length).toBeGreaterThan(0);
    expect(called.error.message).toBe("The board cannot be opened; the reason is on this server's stderr.");
    const { code, stderr } = await board.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("board.db");
  });

  it("lets calls that come before it is open wait for it, in any order", async () => {
    start();
    const calls = [board.call("search", { q: "a bike" }), board.call("about")];
    const list = board.request("tools/list");
    void board.ask("initialize", HANDSHAKE);
    expect((await Promise.all(calls))[0]).toContain("No posts");
    expect(board.answers.slice(0, 2).map((answer) => answer.id)).toContain(list);
    expect((await board.end()).code).toBe(0);
  });
});

describe("over stdio, links", () => {
  const post = { title: "Repair your own bicycle", body: "We lend tools." };

  /** What a board answers to calls whose answers carry addresses. */
  async function answers(): Promise<string[]> {
    await board.ask("initialize", HANDSHAKE);
    const refused = await board.call("register_publisher", { name: "Kitchen" });
    const registered = await board.call("register_publisher", { name: "Kitchen", accept_terms: true });
    const key = { api_key: /api_key: (\w+)/.exec(registered)?.[1] ?? "" };
    const created = await board.call("create_post", { ...post, ...key });
    const id = idIn(created);
    const said = [
      refused,
      registered,
      created,
      await board.call("search", { q: "bicycle" }),
      await board.call("search", { q: "bicycle", detail: "full" }),
      await board.call("get_post", { id }),
      await board.call("about"),
      await board.call("subscribe", { query: { q: "bicycle" }, ...key }),
    ];
    expect(said.join("\n")).toContain(post.title);
    return said;
  }

  it("lead nowhere without SITE_URL: answers name the calls to make instead, the manual says so, and the terms are there", async () => {
    start();
    const said = await answers();
    for (const answer of said) expect(answer).not.toMatch(/localhost|127\.0\.0\.1/);
    const [refused, , created, found] = said;
    expect(refused).toContain("board://terms");
    expect(created).toMatch(/^read it: get_post \{"id":"\w+"\}$/m);
    expect(found).toContain("Read one with `get_post`.");
    const read = async (uri: string) => (await board.ask("resources/read", { uri })).result.contents[0].text;
    expect(await read("board://manual")).toMatch(/^\*Nothing answers at the web addresses below/);
    expect(await read("skill://post-well/SKILL.md")).toMatch(
      /^---\nname: post-well\n(.*\n)+---\n\n\*Nothing/,
    );
    expect(await read("board://terms")).toContain("# Terms");
  });

  it("are those of SITE_URL where it is set", async () => {
    start({ SITE_URL: "https://board.example" });
    const [refused, registered, created, found, whole] = await answers();
    expect(refused).toContain("https://board.example/terms");
    expect(registered).toContain("crier_url: https://board.example/publishers/pub_");
    expect(created).toMatch(/^url: https:\/\/board\.example\/p\/\w+$/m);
    expect(found).toContain("Page of a post: https://board.example/p/ID");
    expect(whole).toContain("page https://board.example/p/");
  });
});
