import { describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { idIn, mcpClient } from "../support/clients/mcp-clients.ts";
import { distinctText } from "../support/texts/texts.ts";

const board = useTestBoard();
const owner = usePublisher(board, "Owner");
const client = useClient(board, "/mcp", owner);

/** The call that a text proposes to go on, such as `More: get_post {…}`. */
function nextCall(text: string): [string, Record<string, unknown>] {
  const [, tool = "", args = "{}"] = /^(?:More|Next look): (\w+) (\{.*\})$/m.exec(text) ?? [];
  return [tool, JSON.parse(args)];
}

describe("get_post over MCP", () => {
  it("reads a thread of 31 replies whole in two calls, each reply once, oldest first", async () => {
    const root = await client.call("create_post", { ...distinctText(1), kind: "thread" });
    const id = idIn(root.text);
    const bodies = Array.from({ length: 31 }, (_, i) => `Answer number ${i + 1} of them all.`);
    for (const body of bodies) {
      const other = await register(board, "Someone");
      await call(board, "POST /posts", { title: "Re", body, parent_id: id }, other);
    }
    const first = await client.call("get_post", { id });
    expect(first.text).toContain("Replies, oldest first (20 of 31):");
    const [tool, args] = nextCall(first.text);
    expect([tool, args["id"]]).toEqual(["get_post", id]);
    const second = await client.call(tool, args);
    const read = [first.text, second.text].join("\n").match(/^ *> Answer number .*$/gm);
    expect(read?.map((line) => line.replace(/^ *> /, ""))).toEqual(bodies);
    expect(second.text).not.toContain("More:");
  });
});

describe("create_post with id", () => {
  it("changes what is sent of one's own post, and leaves the rest", async () => {
    const fields = { title: "Bread on Friday", body: "Sourdough, from nine.", tags: ["bread"] };
    const id = idIn((await client.call("create_post", fields)).text);
    const changed = await client.call("create_post", {
      id,
      title: "Bread on Saturday",
      tags: "",
      body: null,
    });
    expect(changed.text).toMatch(/^Changed\.\nid: /m);
    const { body } = await call(board, `GET /posts/${id}`);
    expect(body.data).toMatchObject({ ...fields, title: "Bread on Saturday" });
  });

  it('ends it with `expires_at` "now"', async () => {
    const id = idIn((await client.call("create_post", distinctText(2))).text);
    expect((await client.call("create_post", { id, expires_at: "now" })).text).toContain(
      "the post has ended",
    );
    expect((await client.call("get_post", { id })).text).toContain("EXPIRED");
    const all = await client.call("search", { publisher: owner.id, include_expired: true, limit: 1 });
    expect(all.text).toMatch(new RegExp(`\`${id}\` .*\n.*EXPIRED`));
    const found = await call(board, `GET /search?publisher=${owner.id}`);
    expect(found.body.data.map((post: { id: string }) => post.id)).not.toContain(id);
  });

  it("refuses another publisher's post", async () => {
    const id = idIn((await client.call("create_post", distinctText(3))).text);
    const other = await register(board, "Other");
    const stranger = await mcpClient({ url: `${board.url}/mcp`, key: other.key });
    expect((await stranger.call("create_post", { id, title: "Mine now" }))?.text).toMatch(/^not_owner: /);
    await stranger.close();
  });
});

describe("check_subscription without id", () => {
  it("gives the new matches of all subscriptions once, with the list of them, and goes on from its cursor", async () => {
    const own = await register(board, "Listener");
    const listener = await mcpClient({ url: `${board.url}/mcp`, key: own.key });
    const empty = await listener.call("check_subscription", {});
    expect(empty.text).toMatch(/^Nothing new\..*\nYou have no subscriptions\./);
    const ids = [];
    for (const q of ["theremin", "hurdygurdy"]) {
      const saved = await listener.call("subscribe", { query: { q }, label: `For ${q}` });
      ids.push(idIn(saved.text));
    }
    const write = (word: string) =>
      listener.call("create_post", { title: `A ${word}`, body: `To sell: a ${word}.` });
    await write("theremin");
    await write("hurdygurdy");
    const both = await eventually(
      () => listener.call("check_subscription", {}),
      ({ text }) => /A theremin[\s\S]*A hurdygurdy/.test(text),
    );
    expect(both.text).toMatch(/"A theremin"\n[\s\S]*matches S1\n[\s\S]*"A hurdygurdy"\n[\s\S]*matches S2\n/);
    expect(both.text).toContain(`S1 \`${ids[0]}\` | "For theremin" | "Posts about \\"theremin\\"" | 1 kept`);
    const [tool, args] = nextCall(both.text);
    expect([tool, Object.keys(args)]).toEqual(["check_subscription", ["cursor"]]);
    const none = await listener.call(tool, args);
    expect(none.text).toMatch(/^Nothing new\./);
    await write("theremin of wood");
    const later = await eventually(
      () => listener.call(tool, args),
      ({ text }) => text.includes("of wood"),
    );
    expect(later.text).not.toContain("A hurdygurdy");
    const rest = await call(board, "GET /publishers/me/inbox", undefined, own);
    expect(rest.body.data).toHaveLength(3);
    expect(rest.body.meta.subscriptions).toHaveLength(2);
  });

  it("names a post that several subscriptions match once, and brings replies to one's own posts", async () => {
    const seller = await mcpClient({ url: `${board.url}/mcp`, key: (await register(board, "Seller")).key });
    for (const query of [{ q: "harmonium" }, { tags: "reed-organ" }])
      await seller.call("subscribe", { query });
    const post = { title: "A harmonium", body: "For sale, 80 euros.", tags: ["reed-organ"] };
    const parent_id = idIn((await seller.call("create_post", post)).text);
    await client.call("create_post", { title: "Still there?", body: "I would take it.", parent_id });
    const news = await eventually(
      () => seller.call("check_subscription", {}),
      ({ text }) => text.includes("Still there?") && /matches S1, S2/.test(text),
    );
    expect(news.text.match(/"A harmonium"/g)).toHaveLength(1);
    expect(news.text).toMatch(/"Still there\?"\n[\s\S]*\n {3}a reply to your post/);
  });
});

describe("/mcp/readonly", () => {
  it("names no tool that it lacks: in instructions, tools, prompts, resources, notes and hints", async () => {
    const lacks = ["create_post", "register_publisher", "subscribe", "report_post"].map(
      (name) => new RegExp(`(?<!check_)\\b${name}\\b`),
    );
    const reader = await mcpClient({ url: `${board.url}/mcp/readonly` });
    const tools = await reader.list("tools");
    const said = [
      JSON.stringify(tools),
      JSON.stringify(await reader.list("prompts")),
      await reader.prompt("find", { what: "a bike", where: "Utrecht" }),
      JSON.stringify(await reader.list("resources")),
    ];
    const odd: [string, Record<string, unknown>][] = [
      ["search", { q: "nothing at all like this" }],
      ["search", { limit: 1000 }],
      ["search", { cursor: "x" }],
      ["check_subscription", { id: "sub_none" }],
      ["check_subscription", { id: "sub_none", api_key: owner.key }],
      ["check_subscription", { id: "sub_none", api_key: `${owner.key.slice(0, -1)}x` }],
      ["get_post", { id: "nothing" }],
      ["about", {}],
    ];
    for (const [name, args] of odd) said.push((await reader.call(name, args)).text);
    for (const text of said) for (const name of lacks) expect(text).not.toMatch(name);
    await reader.close();
  });
});
