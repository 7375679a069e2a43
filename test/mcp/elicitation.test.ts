import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { PROGRAM } from "../support/boards/board-process.ts";

const ROOT = join(import.meta.dirname, "../..");
type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string | boolean> };
/** How a host's person answers; null: the host cannot ask. */
type Person = ((message: string) => Answer) | null;

let board: TestBoard;
let folder: string;
beforeAll(async () => {
  board = await startBoard();
  folder = await mkdtemp(join(tmpdir(), "elicitation-"));
});
afterAll(async () => {
  await board.stop();
  await rm(folder, { recursive: true, force: true });
});

const CONNECTIONS = {
  "HTTP, 2026-07-28": { mode: { pin: "2026-07-28" }, remote: true },
  "stdio, 2026-07-28": { mode: { pin: "2026-07-28" }, remote: false },
  "stdio, with a handshake": { mode: "legacy" as const, remote: false },
};

async function host(person: Person, { mode, remote }: { mode: "legacy" | { pin: string }; remote: boolean }) {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: person === null ? {} : { elicitation: { form: {} } } },
  );
  if (person !== null) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return person(params.message);
    });
  }
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: folder, EMBEDDINGS: "off" };
  const args = [...PROGRAM, "stdio"];
  await client.connect(
    remote
      ? new StreamableHTTPClientTransport(new URL(`${board.url}/mcp`))
      : new StdioClientTransport({ command: process.execPath, args, env, cwd: ROOT, stderr: "ignore" }),
  );
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[])[0]?.text ?? "";
  };
  return { asked, call, close: () => client.close() };
}

describe.each(Object.entries(CONNECTIONS))("over %s, a host that can ask its person", (_name, connection) => {
  it("is asked to accept the terms, and for the place of an event that names none", async () => {
    const { asked, call, close } = await host((message) => {
      const content = message.startsWith("Where") ? { place: "Oude Kerk" } : { accept_terms: true };
      return { action: "accept", content };
    }, connection);
    const registered = await call("register_publisher", { name: "Asked" });
    const key = /api_key: (\w+)/.exec(registered)?.[1];
    expect(key).toBeDefined();
    const event = { kind: "event", title: "A concert", body: "At eight.", api_key: key };
    const created = await call("create_post", event);
    const id = /^id: (\w+)$/m.exec(created)?.[1];
    expect(await call("get_post", { id })).toContain('"Oude Kerk"');
    expect(asked).toEqual([
      expect.stringMatching(/^Your agent registers "Asked" .* The terms: (http|board:)/),
      'Where does "A concert" take place? Leave it empty if it has no place.',
    ]);
    await call("create_post", { ...event, title: "Elsewhere", location: { name: "Amsterdam" } });
    await call("create_post", { ...event, title: "In a town", city: "Utrecht" });
    await call("create_post", { ...event, title: "An offer", kind: "offer" });
    await call("create_post", { ...event, title: "Misspelt", coordinates: [4.9, 52.4] });
    expect(asked.length).toBe(2);
    await call("create_post", { ...event, title: "Priced", start: "2099-12-05T20:00:00Z", price: 5 });
    expect(asked[2]).toMatch(/^Where does "Priced" take place/);
    await close();
  });

  it("registers nobody whose person declines, or does not tick the box", async () => {
    for (const answer of [
      { action: "decline" as const },
      { action: "accept" as const, content: { accept_terms: false } },
    ]) {
      const { asked, call, close } = await host(() => answer, connection);
      expect(await call("register_publisher", { name: "Declined" })).toMatch(/^terms_not_accepted: /);
      expect(asked.length).toBe(1);
      await close();
    }
  });
});

it("a host that cannot ask gets the failure with its hint", async () => {
  const { call, close } = await host(null, CONNECTIONS["HTTP, 2026-07-28"]);
  expect(await call("register_publisher", { name: "Unasked" })).toMatch(
    /^terms_not_accepted: [\s\S]*Hint: Ask the person you work for to accept http/,
  );
  await close();
});
