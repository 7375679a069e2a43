import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it } from "vitest";
import { call, eventually, register } from "../../support/boards/client.ts";
import { waitersAt } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { stdioCommand } from "../../support/clients/stdio.ts";
import { prose } from "../../support/texts/prose.ts";

const ALL = "board://subscriptions";

const board = useTestBoard();
const me = usePublisher(board);
const writer = usePublisher(board, "Writer");
let ofBikes: string;
let ofBoats: string;
beforeAll(async () => {
  ofBikes = await subscribed("bikes");
  ofBoats = await subscribed("boats");
});

async function subscribed(tags: string): Promise<string> {
  const { body } = await call(board, "POST /subscriptions", { query: { tags } }, me);
  return `${ALL}/${body.data.id}`;
}

/** A client of the revision with streams, and the addresses it was told of. */
async function listener(key: string | null, url = `${board.url}/mcp`) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return started(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

async function started(transport: StreamableHTTPClientTransport | StdioClientTransport) {
  const client = new Client(
    { name: "listener", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const told: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  await client.connect(transport);
  return { client, told };
}

const post = (title: string, tags: string) =>
  write(board, writer.key, { title, body: prose(), tags: [tags] });

/** The addresses that were told, once there are this many or more. */
async function once(told: readonly string[], count: number): Promise<readonly string[]> {
  await eventually(
    async () => told.length,
    (found) => found >= count,
  );
  return told;
}

describe("subscriptions/listen", () => {
  it("tells of a match under the addresses it belongs to, where the post can be read", async () => {
    const { client, told } = await listener(me.key);
    const { honoredFilter, close } = await client.listen({ resourceSubscriptions: [ofBikes, ofBoats, ALL] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [ofBikes, ofBoats, ALL] });
    await post("A red bike", "bikes");
    expect((await once(told, 2)).toSorted()).toEqual([ofBikes, ALL].toSorted());
    for (const uri of [ofBikes, ALL]) {
      const { contents, cacheScope } = await client.readResource({ uri });
      expect([cacheScope, JSON.stringify(contents)]).toEqual([
        "private",
        expect.stringContaining("A red bike"),
      ]);
    }
    expect(JSON.stringify(await client.readResource({ uri: ofBoats }))).toContain("No new matches");
    await post("A blue boat", "boats");
    expect((await once(told, 4)).slice(2).toSorted()).toEqual([ofBoats, ALL].toSorted());
    await close();
    await client.close();
  });

  it("reads on after a cursor, and passes on why a read failed", async () => {
    const { client } = await listener(me.key);
    await post("A green bike", "bikes");
    const text = await eventually(
      async () => JSON.stringify(await client.readResource({ uri: ofBikes })),
      (found) => found.includes("A green bike"),
    );
    const cursor = /cursor\\":\s*\\"([\w.-]+)/.exec(text.replaceAll("\\\\", "\\"))?.[1];
    const later = await client.readResource({ uri: `${ofBikes}?cursor=${cursor}` });
    expect(JSON.stringify(later)).toContain("No new matches");
    await expect(client.readResource({ uri: `${ALL}/sub_4yTq8WnZ2kPv6R` })).rejects.toThrow(
      "subscription_not_found",
    );
    await client.close();
    const stranger = await listener(null);
    await expect(stranger.client.readResource({ uri: ALL })).rejects.toThrow("missing_api_key");
    await stranger.client.close();
  });

  it("needs a key, and leaves out what is not the caller's", async () => {
    const nobody = await listener(null);
    await expect(nobody.client.listen({ resourceSubscriptions: [ofBikes] })).rejects.toThrow(
      "missing_api_key",
    );
    await nobody.client.close();
    const other = await listener((await register(board)).key);
    const { honoredFilter, closed } = await other.client.listen({ resourceSubscriptions: [ofBikes] });
    expect([honoredFilter, await closed]).toEqual([{}, "graceful"]);
    const own = await other.client.listen({ resourceSubscriptions: [ofBikes, ALL, "board://about"] });
    expect(own.honoredFilter).toEqual({ resourceSubscriptions: [ALL] });
    await other.client.close();
  });

  it("ends a stream about lists at once: they never change", async () => {
    const { client } = await listener(null);
    const { honoredFilter, closed } = await client.listen({
      toolsListChanged: true,
      promptsListChanged: true,
    });
    expect([honoredFilter, await closed]).toEqual([{}, "graceful"]);
    await client.close();
  });

  it("works on every path, and is not there for clients with a handshake", async () => {
    for (const path of ["/mcp/data", "/mcp/readonly"]) {
      const { client, told } = await listener(me.key, board.url + path);
      await client.listen({ resourceSubscriptions: [ALL] });
      await post(`A bike for ${path}`, "bikes");
      expect(await once(told, 1)).toEqual([ALL]);
      await client.close();
    }
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: {} } };
    const answer = await fetch(`${board.url}/mcp`, {
      method: "POST",
      headers,
      body: JSON.stringify(message),
    });
    expect(await answer.text()).toContain("-32601");
  });

  it("lets go of a stream whose client is gone, and refuses more than may wait", async () => {
    const { client } = await listener(me.key);
    await waitersAt(board, 0);
    for (let n = 0; n < 50; n += 1) await client.listen({ resourceSubscriptions: [ALL] });
    await waitersAt(board, 50);
    await expect(client.listen({ resourceSubscriptions: [ALL] })).rejects.toThrow("overloaded");
    await client.close();
    await waitersAt(board, 0);
  });

  it("is relayed over stdio, and unknown to a board served over stdio alone", async () => {
    const over = (args: string[]) => {
      const command = stdioCommand(join(board.dataDir, "stdio"), args, { BOARD_API_KEY: me.key });
      return started(new StdioClientTransport({ ...command, stderr: "ignore" }));
    };
    const { client, told } = await over(["--url", board.url]);
    await client.listen({ resourceSubscriptions: [ALL] });
    await post("A relayed bike", "bikes");
    expect(await once(told, 1)).toEqual([ALL]);
    await client.close();
    const alone = await over([]);
    await expect(alone.client.listen({ resourceSubscriptions: [ALL] })).rejects.toMatchObject({
      code: -32601,
    });
    await alone.client.close();
  });

  it("ends with the closing result when the board stops", async () => {
    const { client } = await listener(me.key);
    const { closed } = await client.listen({ resourceSubscriptions: [ALL] });
    board.board.services.waits.stop();
    expect(await closed).toBe("graceful");
    await expect(client.listen({ resourceSubscriptions: [ALL] })).rejects.toThrow("overloaded");
    await client.close();
  });
});
