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

describe("get_post over MCP, of long replies,", () => {
  it("has as many as fit an answer, each whole, and goes on behind them", async () => {
    const { body } = await call(board, "POST /posts", { ...distinctText(5), kind: "thread" }, owner);
    const parent_id: string = body.data.id;
    // Four of these take some 9,200 tokens, and an answer has 10,000 for posts.
    const long = (n: number) => `${n} `.repeat(4_000).trim();
    for (let n = 1; n <= 6; n += 1) {
      const other = await register(board, "Long-winded");
      await call(board, "POST /posts", { title: "Re", body: long(n), parent_id }, other);
    }
    const first = await client.call("get_post", { id: parent_id });
    expect(first.text).toContain("Replies, oldest first (4 of 6):");
    const [tool, args] = nextCall(first.text);
    expect([tool, args]).toEqual(["get_post", { id: parent_id, cursor: expect.any(String) }]);
    const second = await client.call(tool, args);
    const read = [first, second].flatMap(({ text }) => text.match(/^ {3}> \d .*$/gm) ?? []);
    expect(read).toEqual([1, 2, 3, 4, 5, 6].map((n) => `   > ${long(n)}`));
    expect(second.text).not.toContain("More:");
  });
});

describe("the list of tools", () => {
  it("tells of the fields that choose a second operation what they do", async () => {
    const tools = new Map((await client.list("tools")).map(({ name, inputSchema }) => [name, inputSchema]));
    for (const [tool, field, told] of [
      ["create_post", "id", "to change it"],
      ["create_post", "delete", "takes the post down"],
      ["subscribe", "id", "to change it"],
      ["subscribe", "delete", "ends it"],
      ["get_post", "cursor", "further replies"],
    ] as const)
      expect(tools.get(tool)?.properties[field].description).toContain(told);
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

  it("takes it down with `delete`, in any form of true, and only with an id", async () => {
    for (const sent of [true, "Yes", "1"]) {
      const id = idIn((await client.call("create_post", distinctText(30))).text);
      expect((await client.call("create_post", { id, delete: sent })).text).toMatch(/^Taken down/);
      expect((await call(board, `GET /posts/${id}`)).status).toBe(404);
    }
    const second = idIn((await client.call("create_post", distinctText(31))).text);
    const kept = await client.call("create_post", { id: second, delete: false, title: "Kept" });
    expect(kept.text).toMatch(/^Changed\./m);
    expect((await client.call("create_post", { ...distinctText(32), delete: true })).isError).toBe(true);
    const foreign = await call(board, "POST /posts", distinctText(33), await register(board, "Another"));
    const refused = await client.call("create_post", { id: foreign.body.data.id, delete: true });
    expect(refused.text).toMatch(/^not_owner: /);
    expect((await call(board, `GET /posts/${foreign.body.data.id}`)).status).toBe(200);
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
    expect(both.text).toMatch(
      /"A theremin"\n[\s\S]*matches S1 \(relevance \S+\), written [\s\S]*"A hurdygurdy"\n[\s\S]*matches S2 \(relevance \S+\), written /,
    );
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
      ({ text }) => text.includes("Still there?") && /matches S\d \(relevance \S+\), S\d \(/.test(text),
    );
    const [line = ""] = /matches .*/.exec(news.text) ?? [];
    expect([...line.matchAll(/S\d(?= \()/g)].map(String).sort()).toEqual(["S1", "S2"]);
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
      ["check_subscription", { id: "sub_none", api_key: `${owner.key.slice(0, -1)}!` }],
      ["get_post", { id: "nothing" }],
      ["about", {}],
    ];
    for (const [name, args] of odd) said.push((await reader.call(name, args)).text);
    for (const text of said) for (const name of lacks) expect(text).not.toMatch(name);
    await reader.close();
  });
});

describe("subscribe with id", () => {
  const mine = async () => (await call(board, "GET /subscriptions", undefined, owner)).body.data;
  const saved = async (q: string) => idIn((await client.call("subscribe", { query: { q } })).text);

  it("changes, pauses, resumes and ends the one it names, and no other", async () => {
    const [one, other] = [await saved("sackbut"), await saved("crumhorn")];
    const of = async (id: string) => (await mine()).find((each: { id: string }) => each.id === id);
    await client.call("subscribe", { id: one, query: { q: "serpent" }, label: "None" });
    expect(await of(one)).toMatchObject({ describes: 'Posts about "serpent"', label: "None", active: true });
    const paused = await client.call("subscribe", { id: one, active: false });
    expect(paused.text).toContain(
      `Paused: it matches nothing until: subscribe {"id":"${one}","active":true}`,
    );
    expect(await of(one)).toMatchObject({ active: false, inactive_reason: "paused" });
    await client.call("subscribe", { id: one, active: true });
    expect(await of(one)).toMatchObject({ active: true });
    expect((await client.call("subscribe", { id: one, delete: true })).text).toMatch(/^Ended/);
    expect(await of(one)).toBeUndefined();
    expect(await of(other)).toMatchObject({ describes: 'Posts about "crumhorn"', active: true });
    const gone = await client.call("subscribe", { id: one, delete: true });
    expect(gone.text).toMatch(/^subscription_not_found: /);
  });

  it("makes room at fifty", async () => {
    const { key } = await register(board, "Collector");
    const full = await mcpClient({ url: `${board.url}/mcp`, key });
    for (let n = 0; n < 50; n += 1) await full.call("subscribe", { query: { q: `viol ${n} lute${n}` } });
    const refused = await full.call("subscribe", { query: { q: "one more" } });
    expect(refused.text).toMatch(
      /^too_many_subscriptions: [\s\S]*`subscribe` with its `id` and `delete` true/,
    );
    const list = await full.call("check_subscription", { detail: "full" });
    const [, id] = /`(sub_\w+)`/.exec(list.text) ?? [];
    await full.call("subscribe", { id, delete: true });
    expect((await full.call("subscribe", { query: { q: "one more" } })).isError).toBe(false);
    await full.close();
  });
});

describe("the daily look", () => {
  it("is one line and a cursor when nothing is new, whatever the number of saved queries", async () => {
    const { key } = await register(board, "Watcher of twenty");
    const watcher = await mcpClient({ url: `${board.url}/mcp`, key });
    for (let n = 0; n < 20; n += 1) await watcher.call("subscribe", { query: { q: `harp ${n} lyre${n}` } });
    const { text } = await watcher.call("check_subscription", {});
    expect(text).toMatch(/^Nothing new\.\nNext look: check_subscription \{"cursor":"[\w-]{1,60}"\}$/);
    const [tool, args] = nextCall(text);
    expect((await watcher.call(tool, args)).text).toBe(text);
    const [, id] =
      /`(sub_\w+)`/.exec((await watcher.call("check_subscription", { detail: "full" })).text) ?? [];
    await watcher.call("subscribe", { id, active: false });
    const attention = await watcher.call("check_subscription", {});
    expect(attention.text).toMatch(
      /^Nothing new\.\nOf your 20 subscriptions:\nS1 .*inactive: paused\nNext look/,
    );
    await watcher.close();
  });

  it("begins at `since`, and names the root by which a reply is answered", async () => {
    const root = idIn((await client.call("create_post", distinctText(40))).text);
    const replier = await register(board, "Replier");
    await call(board, "POST /posts", { ...distinctText(41), parent_id: root }, replier);
    const yesterday = await client.call("check_subscription", { since: "yesterday", limit: 100 });
    const [, next] = nextCall(yesterday.text);
    expect(Object.keys(next).sort()).toEqual(["cursor", "limit"]);
    expect(yesterday.text).toContain(`answer it with \`parent_id\` "${root}"`);
    const answered = await client.call("create_post", { body: "Thank you.", parent_id: root });
    expect(answered.isError).toBe(false);
    const other = await mcpClient({ url: `${board.url}/mcp`, key: replier.key });
    expect((await other.call("check_subscription", {})).text).toMatch(
      new RegExp(`a reply in a thread you replied to, written .*; answer it with \`parent_id\` "${root}"`),
    );
    await other.close();
    expect((await client.call("check_subscription", { since: "2099-01-01" })).text).toMatch(/^Nothing new\./);
    expect((await client.call("check_subscription", { since: "whenever" })).text).toMatch(
      /- since: Must be a time/,
    );
  });
});

describe("first tries", () => {
  it("takes an answer to a reply as one in its thread, and says so", async () => {
    const root = idIn((await client.call("create_post", { ...distinctText(50), kind: "thread" })).text);
    const first = idIn((await client.call("create_post", { body: "A first answer.", parent_id: root })).text);
    const second = await client.call("create_post", { body: "An answer to it.", parent_id: first });
    expect(second.text).toMatch(
      new RegExp(`is itself a reply, so this is an answer in its thread, to ${root}`),
    );
    expect((await call(board, `GET /posts/${root}`)).body.data.reply_count).toBe(2);
  });

  it("reads local times of an edit in the zone of the post", async () => {
    const fields = {
      kind: "event",
      location: "Vienna",
      timezone: "Europe/Vienna",
      starts_at: "2098-07-05T19:00",
    };
    const id = idIn((await client.call("create_post", { ...distinctText(51), ...fields })).text);
    const moved = await client.call("create_post", { id, starts_at: "2098-07-06T20:30" });
    expect([moved.isError, moved.text]).toEqual([false, expect.stringContaining("20:30 Europe/Vienna")]);
    const patched = await call(board, `PATCH /posts/${id}`, { starts_at: "2098-07-07T09:00" }, owner);
    expect(patched.body.data.starts_at).toBe("2098-07-07T07:00:00.000Z");
    expect(patched.body.meta.note).toContain("Europe/Vienna, the zone of the post");
  });

  it("says one of the two when nothing to change was sent", async () => {
    const id = idIn((await client.call("create_post", distinctText(52))).text);
    const { text } = await client.call("create_post", { id });
    expect(text).toMatch(/^Note: Nothing to change was sent\.\nNothing was changed\.\n/);
  });

  it("names the parameter and the kind that was meant", async () => {
    const { text } = await client.call("search", { kind: "sale" });
    expect(text).toContain(
      "- kind: Must be event, offer, request, announcement or thread; this is called offer.",
    );
  });

  it("proposes calls with the key that came as an argument, and never names a header", async () => {
    const keyless = await mcpClient({ url: `${board.url}/mcp` });
    const made = await keyless.call("register_publisher", { name: "Keyed", accept_terms: "true" });
    const [, api_key = ""] = /^api_key: (\w+)/m.exec(made.text) ?? [];
    const post = await keyless.call("create_post", { ...distinctText(80), api_key });
    expect(post.text).toContain('Replies to it: check_subscription {"api_key":"<yours>"}');
    const ended = await keyless.call("create_post", { id: idIn(post.text), expires_at: "now", api_key });
    const [, proposed = "{}"] = /create_post (\{"api_key":"<yours>",.*?\})/.exec(ended.text) ?? [];
    const args = JSON.parse(proposed.replace("<yours>", api_key));
    expect(args).toMatchObject({ id: idIn(post.text), delete: true });
    expect((await keyless.call("create_post", args)).text).toMatch(/^Taken down/);
    const saved = await keyless.call("subscribe", { query: { q: "psaltery" }, api_key });
    expect(saved.text).toMatch(/Next: check_subscription \{"api_key":"<yours>","id":"sub_\w+","wait_s":30\}/);
    const again = await keyless.call("register_publisher", { name: "Second", accept_terms: true, api_key });
    expect(again.text).toMatch(/^already_registered: [\s\S]*You already are pub_\w+ "Keyed"/);
    for (const { text } of [made, post, ended, saved, again])
      expect(text).not.toMatch(/Authorization|Bearer/);
    await keyless.close();
  });
});

describe("a search with few matches under filters", () => {
  it("says how many posts fit the filters alone, by a call that lists them, and shows them where they fit the page", async () => {
    const place = { kind: "event", location: { name: "Graz", lat: 47.07, lng: 15.44 } };
    for (let n = 0; n < 15; n += 1) {
      const { title, body } = distinctText(100 + n);
      const fields = {
        ...place,
        title,
        body: `${body} ${n < 2 ? "For toddlers." : ""}`,
        starts_at: `2098-05-0${1 + (n % 5)}T10:00:00Z`,
      };
      await call(board, "POST /posts", fields, owner);
    }
    const sent = {
      q: "toddlers",
      kind: "event",
      near: "47.07,15.44",
      after: "2098-05-01",
      before: "2098-05-06",
    };
    for (const sort of ["relevance", "soonest"]) {
      const { text } = await client.call("search", { ...sent, sort });
      const [, proposed = "{}"] =
        /Posts 1–2 of 2.* that hold the words; 15 fit the filters alone: search (\{.*?\})\./.exec(text) ?? [];
      expect(proposed, text).toContain('"near":"47.07,15.44"');
      expect((await client.call("search", JSON.parse(proposed))).text).toContain("Posts 1–15 of 15");
      if (sort === "soonest") expect(text).toMatch(/\nWeak: [\s\S]*\n15\. /);
    }
    const { meta } = (await call(board, `GET /search?${new URLSearchParams(sent)}`)).body;
    expect([meta.total, meta.fitting, meta.note]).toEqual([
      2,
      15,
      expect.stringContaining("15 posts fit the filters alone"),
    ]);
    // Each of them once: those that hold the words, and behind them the others, in their order of time.
    const listed = await call(board, `GET /search?${new URLSearchParams({ ...sent, sort: "soonest" })}`);
    const ids = new Set(listed.body.data.map(({ id }: { id: string }) => id));
    expect([listed.body.data.length, ids.size]).toEqual([15, 15]);
    // None of the others beside what a post must not, or must, hold.
    for (const q of ["toddlers -zither", '"for toddlers"']) {
      const only = await call(board, `GET /search?${new URLSearchParams({ ...sent, q, sort: "soonest" })}`);
      expect([q, only.body.data.length]).toEqual([q, 2]);
    }
    expect((await client.call("search", { q: "toddlers" })).text).not.toContain("fit the filters alone");
  });

  it("reads a post without its replies, or with some", async () => {
    const root = idIn((await client.call("create_post", { ...distinctText(130), kind: "thread" })).text);
    for (const body of ["One.", "Two.", "Three."])
      await call(board, "POST /posts", { body, parent_id: root }, owner);
    expect((await client.call("get_post", { id: root, limit: 0 })).text).not.toContain("> One.");
    const some = await client.call("get_post", { id: root, limit: 2 });
    expect(some.text).toContain("Replies, oldest first (2 of 3):");
    const [tool, args] = nextCall(some.text);
    expect((await client.call(tool, args)).text).toContain("> Three.");
  });
});
