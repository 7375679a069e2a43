import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { useFolder, useTestBoard } from "../support/boards/use.ts";
import { idIn } from "../support/clients/mcp-clients.ts";
import { stdioCommand } from "../support/clients/stdio.ts";

type Able = { form?: Record<string, never>; url?: Record<string, never> };
type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string | boolean> };

const board = useTestBoard();
const folder = useFolder();

const CONNECTIONS = {
  "HTTP, 2026-07-28": { mode: { pin: "2026-07-28" }, remote: true, able: { form: {} } },
  // A host that names neither way shows forms.
  "stdio, 2026-07-28": { mode: { pin: "2026-07-28" }, remote: false, able: {} },
  "stdio, with a handshake": { mode: "legacy" as const, remote: false, able: { form: {}, url: {} } },
};

/** A host whose person answers as `person.answer` says; without one it cannot ask. */
async function host(
  { mode, remote, able }: { mode: "legacy" | { pin: string }; remote: boolean; able: Able },
  person?: { answer(message: string): Answer },
  elicitation = able,
) {
  const asked: string[] = [];
  const forms: unknown[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: person === undefined ? {} : { elicitation } },
  );
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      forms.push("requestedSchema" in params ? params.requestedSchema : null);
      return person.answer(params.message);
    });
  }
  await client.connect(
    remote
      ? new StreamableHTTPClientTransport(new URL(`${board.url}/mcp`))
      : new StdioClientTransport({ ...stdioCommand(folder), stderr: "ignore" }),
  );
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[])[0]?.text ?? "";
  };
  return { asked, forms, call, close: () => client.close() };
}

describe.each(Object.entries(CONNECTIONS))("over %s, a host that can ask its person", (_name, connection) => {
  it("is asked to accept the terms, and for the place of an event that names none; who declines, or does not tick the box, is not registered", async () => {
    const person = {
      answer(message: string): Answer {
        const content = message.startsWith("Where") ? { place: "Oude Kerk" } : { accept_terms: true };
        return { action: "accept", content };
      },
    };
    const { asked, forms, call, close } = await host(connection, person);
    const registered = await call("register_publisher", { name: "Asked" });
    const key = /api_key: (\w+)/.exec(registered)?.[1];
    expect(key).toBeDefined();
    const event = { kind: "event", title: "A concert", body: "At eight.", api_key: key };
    const created = await call("create_post", event);
    const id = idIn(created);
    expect(await call("get_post", { id })).toContain('"Oude Kerk"');
    expect(asked).toEqual([
      expect.stringMatching(/^Your agent registers "Asked" .* The terms: (http|board:)/),
      'Where does "A concert" take place? Leave it empty if it has no place.',
    ]);
    expect(forms).toEqual([
      {
        type: "object",
        properties: { accept_terms: { type: "boolean", title: "I accept the terms", default: false } },
        required: ["accept_terms"],
      },
      { type: "object", properties: { place: { type: "string", title: "Place", maxLength: 200 } } },
    ]);
    await call("create_post", { ...event, title: "Elsewhere", location: { name: "Amsterdam" } });
    await call("create_post", { ...event, title: "In a town", city: "Utrecht" });
    await call("create_post", { ...event, title: "An offer", kind: "offer" });
    await call("create_post", { ...event, title: "Misspelt", coordinates: [4.9, 52.4] });
    await call("create_post", { ...event, title: "In a thread", parent_id: id });
    await call("create_post", { ...event, title: "Without a key", api_key: "" });
    await call("create_post", { id, ...event, title: "Changed" });
    expect(asked.length).toBe(2);
    expect(await call("get_post", { id })).toMatch(/Changed[\s\S]*"Oude Kerk"/);
    await call("create_post", { ...event, title: "Priced", start: "2099-12-05T20:00:00Z", price: 5 });
    expect(asked[2]).toMatch(/^Where does "Priced" take place/);
    person.answer = () => ({ action: "accept", content: { place: "  " } });
    expect(await call("create_post", { ...event, title: "Anywhere" })).toMatch(/^Read as: event\.$/m);
    for (const answer of [
      { action: "decline" as const },
      { action: "cancel" as const },
      { action: "accept" as const, content: { accept_terms: false } },
    ]) {
      person.answer = () => answer;
      const text = await call("register_publisher", { name: "Declined" });
      expect(text).toMatch(/^terms_not_accepted: [\s\S]*Your person was asked and declined/);
      expect(text).not.toMatch(/then send|call `register_publisher` again/i);
    }
    expect(asked.length).toBe(7);
    await close();
  });
});

it("a host that cannot ask, or only by an address, gets the failure with its hint", async () => {
  const person = { answer: (): Answer => ({ action: "accept", content: { accept_terms: true } }) };
  for (const asks of [undefined, person]) {
    const { call, close } = await host(CONNECTIONS["HTTP, 2026-07-28"], asks, { url: {} });
    expect(await call("register_publisher", { name: "Unasked" })).toMatch(
      /^terms_not_accepted: [\s\S]*Hint: Ask the person you work for to accept http/,
    );
    await close();
  }
});
