import { beforeAll, describe, expect, it } from "vitest";
import { understoodArguments } from "../../src/adapters/mcp/arguments.ts";
import { servedTools } from "../../src/adapters/mcp/tool-list.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { call } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { idIn } from "../support/clients/mcp-clients.ts";
import { distinctText } from "../support/texts/texts.ts";

const board = useTestBoard();
const client = useClient(board, "/mcp", usePublisher(board, "Forgiven"));
const newcomer = useClient(board, "/mcp");

let written = 0;
/** Writes a post with these fields over MCP, and reads it over REST. */
async function postWith(fields: Record<string, unknown>) {
  written += 1;
  const answer = await client.call("create_post", { ...distinctText(written), ...fields });
  expect(answer.text).toMatch(/^(Note: .*\n)?Published\./);
  const id = idIn(answer.text);
  return { answer, post: (await call(board, `GET /posts/${id}`)).body.data };
}

describe("create_post understands", () => {
  it("a local time beside its zone, in summer and in winter, before and after the clock changes", async () => {
    const timezone = "Europe/Vienna";
    const utcOf = async (starts_at: string) => (await postWith({ starts_at, timezone })).post.starts_at;
    expect(await utcOf("2099-01-15T19:30")).toBe("2099-01-15T18:30:00.000Z");
    expect(await utcOf("2099-07-15T19:30:00")).toBe("2099-07-15T17:30:00.000Z");
    expect(await utcOf("2099-03-29 01:59")).toBe("2099-03-29T00:59:00.000Z");
    expect(await utcOf("2099-03-29T03:01")).toBe("2099-03-29T01:01:00.000Z");
    expect(await utcOf("2099-07-15T19:30:00-05:00")).toBe("2099-07-16T00:30:00.000Z");
  });

  it("fields by other names, and says so", async () => {
    const { post, answer } = await postWith({ link: "https://example.org/a", lat: 48.2, lng: 16.37 });
    expect(post).toMatchObject({ link: "https://example.org/a", location: { name: null, ...VIENNA } });
    expect(answer.text).toMatch(/^Note: .*`link` was read as `url`\./);
    expect(answer.text).toContain("`lat`, `lng` were read as `location`.");
  });
});

const VIENNA = { lat: 48.2, lng: 16.37 };
const MOMENT = "2099-12-05T10:00:00+01:00";

describe("create_post stores what came in another form", () => {
  type Form = [sent: Record<string, unknown>, stored: object];
  const named = (names: string, form: (name: string) => Form) => names.split(" ").map(form);
  const forms: Form[] = [
    ...named("start starts start_time start_date when date datetime", (name) => [
      { [name]: MOMENT },
      { starts_at: "2099-12-05T09:00:00.000Z" },
    ]),
    ...named("end ends end_time end_date", (name) => [
      { starts_at: MOMENT, [name]: MOMENT },
      { ends_at: "2099-12-05T09:00:00.000Z" },
    ]),
    ...named("city address venue place location_name town where location", (name) => [
      { [name]: "The old mill" },
      { location: { name: "The old mill" } },
    ]),
    ...[
      { latitude: 48.2, longitude: 16.37 },
      { lat: "48.2", lon: "16.37" },
      { lat: 48.2, long: 16.37 },
      { location: { latitude: 48.2, longitude: 16.37 } },
      { location: { lat: 48.2, lon: 16.37 } },
      { location: { type: "Point", coordinates: [16.37, 48.2] } },
      { geo: { type: "Point", coordinates: [16.37, 48.2] } },
      { location: '{"lat": 48.2, "lng": 16.37}' },
    ].map((sent): Form => [sent, { location: VIENNA }]),
    [
      { address: "The old mill", city: "Nowhere at all" },
      { location: { name: "The old mill, Nowhere at all" } },
    ],
    [{ location: { city: "The old mill" } }, { location: { name: "The old mill" } }],
    [{ source: "https://example.org/a" }, { source_url: "https://example.org/a" }],
    [{ kind: "Offer" }, { kind: "offer" }],
    [{ kind: "EVENTS" }, { kind: "event" }],
    [{ tags: '["a b", "c"]' }, { tags: ["a b", "c"] }],
    [{ tags: "bike, Repair ,,diy" }, { tags: ["bike", "repair", "diy"] }],
    [{ syndicated: "True" }, { syndicated: true }],
    [{ title: 2026 }, { title: "2026" }],
    [
      { starts_at: "none", location: "N/A", parent_id: "null", tags: [] },
      { starts_at: null, location: null, parent_id: null },
    ],
    [{ metadata: '{"a": 1}' }, { metadata: { a: 1 } }],
    [{ metadata: { allergens: "none", note: "" } }, { metadata: { allergens: "none", note: "" } }],
    [{ title: "None" }, { title: "None" }],
    [{ title: "A\ttab\nand a line" }, { title: "A tab and a line" }],
  ];
  it.each(forms)("%j", async (sent, stored) => {
    const { post } = await postWith(sent);
    expect(post).toMatchObject(stored);
  });

  it.each(["parent", "reply_to", "in_reply_to", "thread_id"])(
    "a reply by `%s`, without a title",
    async (name) => {
      const { post } = await postWith({ kind: "thread" });
      const reply = await client.call("create_post", { [name]: post.id, body: `An answer by ${name}.` });
      expect(reply.text).toContain(`Read as: reply to \`${post.id}\` titled "Re: `);
    },
  );

  it("an answer to a reply as one in its thread, and says so", async () => {
    const { post } = await postWith({ kind: "thread" });
    const { post: reply } = await postWith({ parent_id: post.id });
    for (const sent of [reply.id, reply.url]) {
      const { answer, post: second } = await postWith({ parent_id: sent });
      expect(answer.text).toMatch(/^Note: `parent_id` is itself a reply/);
      expect(second.parent_id).toBe(post.id);
    }
  });

  it("and says that line breaks came as two characters", async () => {
    const { answer } = await postWith({ body: "One\\nTwo, and more of it" });
    expect(answer.text).toMatch(/^Note: .*two characters/);
  });
});

describe("any tool takes as arguments", () => {
  it.each([{ sent: null }, { sent: [] }, { sent: "" }, { sent: "{}" }])("none: $sent", async ({ sent }) => {
    const { text, isError } = await client.call("about", sent as never);
    expect([isError, text]).toEqual([false, expect.stringContaining("posts")]);
  });

  it("text of JSON, with values in other forms", async () => {
    const sent = '{"kind": "Event", "limit": "1", "verified": "False", "sort": "NEWEST", "near": "none"}';
    const { text, isError } = await client.call("search", sent as never);
    expect([isError, text]).toEqual([false, expect.stringMatching(/^(Note: .*\n)?(No posts|Now: )/)]);
  });
});

describe("arguments are read", async () => {
  const tools = servedTools(await loadCatalog());
  const read = (name: string, sent: object) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no ${name}`);
    return understoodArguments(tool, { ...sent });
  };

  it.each<[tool: string, sent: object, read: object]>([
    // What stands for nothing does so in fields of choices, ids, places and times, but not in texts.
    ...[null, "", " ", "null", "None", "n/a", " UNDEFINED "].map((nothing): [string, object, object] => [
      "search",
      { q: "x", kind: nothing, tags: nothing, near: nothing, after: nothing, cursor: nothing },
      { q: "x" },
    ]),
    ...["q", "name", "label"].map((name): [string, object, object] => {
      const tool = { q: "search", name: "register_publisher", label: "subscribe" }[name] ?? "";
      return [tool, { [name]: "none" }, { [name]: "none" }];
    }),
    ["create_post", { title: "N/A", body: "null" }, { title: "N/A", body: "null" }],
    ["report_post", { reason: "none", details: "none" }, { details: "none" }],
    ["register_publisher", { name: "x", description: "none" }, { name: "x", description: "none" }],
    [
      "create_post",
      { metadata: { a: null }, location: { name: "x", lat: null } },
      { metadata: { a: null }, location: { name: "x" } },
    ],
    // All of them in a box.
    ...["arguments", "args", "input", "params", "parameters"].map((box): [string, object, object] => [
      "search",
      { [box]: { q: "x" } },
      { q: "x" },
    ]),
    ["search", { args: '{"q": "x", "limit": 5}', api_key: "k" }, { q: "x", limit: 5 }],
    ["search", { args: { q: "x" }, limit: 5 }, { args: { q: "x" }, limit: 5 }],
    ["search", { args: ["x"] }, { args: ["x"] }],
    ["search", { other: { q: "x" } }, { other: { q: "x" } }],
    // Kinds, tags and distances in the forms of people.
    ["search", { kind: "Events, OFFER,sale" }, { kind: "event,offer,sale" }],
    ["search", { kind: ["Threads", "requests"] }, { kind: ["thread", "request"] }],
    ["search", { kind: ["Event", 5, "sale"] }, { kind: ["event", 5, "sale"] }],
    ["search", { kind: " Event , announcements" }, { kind: "event,announcement" }],
    ["search", { tags: ["#a", " #b", "c#"] }, { tags: ["a", "b", "c#"] }],
    ["search", { radius_km: " 10km " }, { radius_km: "10" }],
    ["search", { radius_km: 10 }, { radius_km: 10 }],
    ["search", { tags: "#bikes, #repair,c#" }, { tags: "bikes,repair,c#" }],
    ["search", { tags: '["#a"]' }, { tags: '["#a"]' }],
    ["search", { radius_km: "10.5 KM" }, { radius_km: "10.5" }],
    ["search", { radius_km: "10 miles" }, { radius_km: "10 miles" }],
    // Places in parts.
    ["search", { lat: 1, lng: 2 }, { near: "1,2" }],
    ["search", { near: { latitude: 1, longitude: 2 } }, { near: "1,2" }],
    ["search", { near: '{"lat": 1, "lon": 2}' }, { near: "1,2" }],
    ["search", { near: { lat: 0, lng: 0, name: "Ulm" } }, { near: "0,0" }],
    ["search", { near: { city: "Ulm", country: "Germany" } }, { near: "Ulm, Germany" }],
    ["search", { near: { city: "Ulm", radius: 5 } }, { near: { city: "Ulm", radius: 5 } }],
    ["search", { near: { geo: { type: "Point", coordinates: [2, 1] } } }, { near: "1,2" }],
    ["search", { lat: 1, long: 2, radius_km: 5, q: "x" }, { near: "1,2", radius_km: 5, q: "x" }],
    ["search", { near: { type: "Point", coordinates: [2, 1] } }, { near: "1,2" }],
    ["search", { street: "Long Lane 1", city: "Ulm" }, { near: "Long Lane 1, Ulm" }],
    ["search", { near: "The mill", city: "Ulm" }, { near: "The mill, Ulm" }],
    ["search", { near: "Ulm", country: "Ulm" }, { near: "Ulm" }],
    ["search", { coordinates: [2, 1] }, { coordinates: [2, 1] }],
    [
      "create_post",
      { location: "The mill", lat: 1, lng: 2 },
      { location: { name: "The mill", lat: 1, lng: 2 } },
    ],
    ["create_post", { name: "The mill", title: "x" }, { location: { name: "The mill" }, title: "x" }],
    [
      "create_post",
      { location: { lat: 1, lng: 2 }, city: "Ulm" },
      { location: { lat: 1, lng: 2 }, city: "Ulm" },
    ],
    ["create_post", { lat: 0, lng: 0 }, { location: { lat: 0, lng: 0 } }],
    // Other names, and a day that is both bounds.
    ["search", { date: "2099-12-05" }, { after: "2099-12-05", before: "2099-12-05" }],
    ["search", { since: "2099-12-05", until: "2099-12-06" }, { after: "2099-12-05", before: "2099-12-06" }],
    ["search", { q: "x", query: "y" }, { q: "x", query: "y" }],
    ["report_post", { id: "7fKm3Qx9Rt", reason: "spam" }, { post_id: "7fKm3Qx9Rt", reason: "spam" }],
    // The fields of a saved query beside each other, and those of the call beside them.
    [
      "subscribe",
      { keywords: "bike", city: "Ulm", label: "Bikes", colour: "red" },
      { query: { q: "bike", near: "Ulm" }, label: "Bikes", colour: "red" },
    ],
    ["subscribe", { query: { keywords: "bike", type: "Offers" } }, { query: { q: "bike", kind: "offer" } }],
    ["subscribe", { query: "bike", label: "Bikes" }, { query: { q: "bike" }, label: "Bikes" }],
    ["subscribe", { query: ' {"q": "bike"}' }, { query: ' {"q": "bike"}' }],
    // A reply is answered in its thread.
    ...["7fKm3Qx9Rt-abcdef", "https://a.example/p/7fKm3Qx9Rt-abcdef", "/p/7fKm3Qx9Rt-abcdef.md"].map(
      (parent_id): [string, object, object] => ["create_post", { parent_id }, { parent_id: "7fKm3Qx9Rt" }],
    ),
    ...["7fKm3Qx9Rt", "https://a.example/p/7fKm3Qx9Rt", "7fKm3Qx9Rt-abcde", "x7fKm3Qx9Rt-abcdef"].map(
      (parent_id): [string, object, object] => ["create_post", { parent_id }, { parent_id }],
    ),
    // A number where text is taken, and none where a number is.
    ["create_post", { title: 2026, body: 7 }, { title: "2026", body: "7" }],
    ["search", { limit: 5 }, { limit: 5 }],
    ["create_post", { title: 0, tags: [1] }, { title: "0", tags: [1] }],
    ["get_post", { id: 1234567890, limit: 0 }, { id: "1234567890", limit: 0 }],
    // `delete` without an id is a field like any other, unless it says no.
    ["create_post", { id: "x", delete: false }, { id: "x" }],
    ["create_post", { id: "x", delete: true }, { id: "x" }],
    ["subscribe", { subscription_id: "x", delete: "yes" }, { id: "x" }],
    ["search", { delete: true }, { delete: true }],
    ["create_post", { title: "x", delete: "false" }, { title: "x" }],
    ["create_post", { title: "x", delete: "1" }, { title: "x", delete: "1" }],
  ])("of %s: %j", (tool, sent, input) => {
    expect(read(tool, sent).input).toEqual(input);
  });

  it.each<[tool: string, sent: object, operation: string]>([
    ["create_post", { title: "x" }, "create_post"],
    ["create_post", { id: "x", delete: "no" }, "edit_post"],
    ...[true, 1, "TRUE", "yes"].map((sent): [string, object, string] => [
      "create_post",
      { id: "x", delete: sent },
      "delete_post",
    ]),
    ["create_post", { id: "x", delete: "truely" }, "edit_post"],
    ["subscribe", { id: "x", active: false }, "edit_subscription"],
    ["check_subscription", { id: "x" }, "check_subscription"],
    ["check_subscription", { id: "none" }, "read_inbox"],
    ["check_subscription", { subscription_id: "x" }, "check_subscription"],
    ["subscribe", { query: { q: "x" } }, "subscribe"],
    ["subscribe", { id: "x", delete: true }, "delete_subscription"],
    ["subscribe", { query: { q: "x" }, delete: true }, "subscribe"],
    ["create_post", { post_id: "x", title: "y" }, "edit_post"],
    ["get_post", { id: "x", limit: 5 }, "get_post"],
    ["get_post", { id: "x", cursor: "c" }, "list_replies"],
  ])("as those of an operation: %s %j is %s", (tool, sent, operation) => {
    expect(read(tool, sent).served.operation.name).toBe(operation);
  });

  it("with a word on each that was read otherwise, and the key apart", () => {
    const { notes, apiKey, detail, input } = read("search", {
      city: "Ulm",
      keywords: "x",
      api_key: "k",
      detail: "full",
    });
    expect(notes).toEqual(["`keywords` was read as `q`.", "`city` was read as `near`."]);
    expect([apiKey, detail, input]).toEqual(["k", "full", { q: "x", near: "Ulm" }]);
    expect(read("search", { lat: 1, lng: 2 }).notes).toEqual(["`lat`, `lng` were read as `near`."]);
    expect(read("search", { date: "2099-12-05" }).notes).toEqual([
      "`date` was read as `after` and `before`.",
    ]);
    expect(read("subscribe", { query: "bike" }).notes).toEqual(["`query` was read as `query.q`."]);
    expect(read("subscribe", { keywords: "bike", kind: "offer", label: "Bikes" }).notes).toEqual([
      "`keywords` was read as `q`.",
      "Read as fields of `query`: `kind`, `q`.",
    ]);
    expect(read("create_post", { parent_id: "7fKm3Qx9Rt-abcdef" }).notes).toEqual([
      "`parent_id` is itself a reply, so this is an answer in its thread, to 7fKm3Qx9Rt.",
    ]);
    const plain = { q: "x", near: "1,2", kind: "Events", tags: "#a", near_is: null };
    expect(read("search", { ...plain }).notes).toEqual([]);
    expect(read("search", { args: { q: "x" }, api_key: "k" })).toMatchObject({ apiKey: "k", notes: [] });
    expect(read("search", { q: "x" })).toMatchObject({ apiKey: null, detail: undefined, notes: [] });
    expect(read("search", { q: "x", api_key: 5 }).apiKey).toBeNull();
  });
});

describe("create_post refuses", () => {
  it.each([
    [{ titel: "x" }, "title"],
    [{ url: "https://example.org/a", link: "https://example.org/b" }, "url"],
    [{ coordinates: [16.37, 48.2] }, "location"],
    [{ expire_at: "2099-12-05T10:00:00Z" }, "expires_at"],
    [{ location: { nam: "Vienna" } }, "name"],
  ])("%j, since the post would go live without it, and names `%s`", async (field, meant) => {
    const body = `Not to be found ${meant}`;
    const refused = await client.call("create_post", { title: "Refused", body, ...field });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^invalid_request: /);
    expect(refused.text).toContain(`did you mean \`${meant}\`?`);
    const found = await client.call("search", { q: `"${body}"` });
    expect(found.text).toContain("No posts.");
  });

  it("a local time without a zone, and says what is missing", async () => {
    const refused = await client.call("create_post", {
      title: "a",
      body: "b",
      starts_at: "2099-12-05T10:00",
    });
    expect(refused.text).toMatch(/- starts_at: Needs an offset.*or a `timezone` beside it/);
  });
});

describe("the other tools understand", () => {
  it("subscribe: the query as text of JSON, or its fields beside each other", async () => {
    for (const args of [
      { query: '{"q": "road bike", "kind": "offer"}' },
      { q: "road bike", kind: "offer" },
      { query: { q: "road bike", kind: "offer", near: null, tags: "" }, label: null },
    ]) {
      const saved = await client.call("subscribe", args);
      expect(saved.text).toContain('Offers about \\"road bike\\"');
    }
  });

  it("register_publisher: a name without the description that was misspelt, and says so", async () => {
    const sent = { name: "Newcomer", accept_terms: true, descripton: "Of all sorts" };
    const { text, isError } = await newcomer.call("register_publisher", sent);
    expect([isError, text]).toEqual([false, expect.stringMatching(/^Note: .*`descripton`/)]);
  });

  it("search: `query` for `q`; get_post: `post_id` for `id`; check_subscription: `subscription_id` for `id`", async () => {
    const { post } = await postWith({});
    const found = await client.call("search", { query: `"${post.title}"` });
    expect(found.text).toContain(`\`${post.id}\``);
    expect(found.text).toContain("`query` was read as `q`.");
    expect((await client.call("get_post", { post_id: post.id })).text).toContain(`\`${post.id}\``);
    const none = await client.call("check_subscription", { subscription_id: "sub_none" });
    expect(none.text).toMatch(/^subscription_not_found: /);
  });
});

describe("search understands", () => {
  const event = { kind: "event", title: "Forgiven fair", starts_at: "2098-05-01T10:00:00Z", tags: ["fair"] };
  beforeAll(() => postWith({ ...event, location: { name: "Vienna", lat: 48.2, lng: 16.37 } }));

  it.each([
    { keywords: "Forgiven fair", city: "Vienna" },
    { query: "Forgiven fair", lat: 48.2, lng: 16.37, radius_km: "10 km" },
    { type: "Events", date: "2098-05-01" },
    { kind: ["Event"], from: "2098-04-30", to: "2098-05-02", tags: ["#fair"] },
    { arguments: { q: "Forgiven fair" } },
    { input: '{"q": "Forgiven fair"}' },
    { parameters: { q: "Forgiven fair" } },
  ])("%j", async (args) => {
    const { text } = await client.call("search", args);
    expect(text).toContain("1. `");
    expect(text).toContain('event "Forgiven fair"');
    expect(text).not.toContain("ignored");
  });

  it("a day beside a bound only as a field that it does not have", async () => {
    const { text } = await client.call("search", { date: "2098-05-01", after: "2098-04-30" });
    expect(text).toMatch(/^Note: .*`date` is not a parameter/);
    expect(text).toContain('event "Forgiven fair"');
  });

  it("and subscribe, a query of words alone, or under other names", async () => {
    const saved = await client.call("subscribe", { query: "road bike" });
    expect(saved.text).toContain('Posts about \\"road bike\\"');
    const named = await client.call("subscribe", { keywords: "road bike", type: "offers", city: "Vienna" });
    expect(named.text).toMatch(/Offers about .*road bike.*within 25 km of Vienna/);
  });
});

describe("a failure", () => {
  it("says how to end a post, when a field was to do that", async () => {
    const { post } = await postWith({});
    for (const field of [{ active: false }, { status: "cancelled" }]) {
      const refused = await client.call("create_post", { id: post.id, ...field });
      expect([refused.isError, refused.text]).toEqual([
        true,
        expect.stringContaining('`expires_at` "now" ends a post'),
      ]);
    }
  });

  it("tells an id of a subscription or publisher from one of a post", async () => {
    const { post } = await postWith({});
    const misread = await client.call("get_post", { id: post.publisher.id });
    expect(misread.text).toMatch(/^post_not_found: [\s\S]*`search` with it as `publisher`/);
    const reported = await client.call("report_post", { post_id: "sub_4yTq8WnZ2kPv6R", reason: "spam" });
    expect(reported.text).toMatch(/^post_not_found: [\s\S]*`check_subscription` with this `id`/);
  });

  it("says how to find an id that is missing, and names the field that is wrong, not its place in a list", async () => {
    const hints = {
      "": "Take the id of a post from `search`",
      x: "Call `get_post` again with `id` corrected",
    };
    for (const [id, hint] of Object.entries(hints))
      expect((await client.call("get_post", { id: id && [id] })).text).toContain(hint);
    const missing = await client.call("report_post", { reason: "spam" });
    expect(missing.text).toContain("\nHint: Take the id of a post from `search`");
    const twice = await client.call("search", { kind: "poem,sonnet", limit: 0 });
    expect(twice.text).toContain("\nHint: Call `search` again with `kind`, `limit` corrected.");
    const long = await client.call("create_post", { title: "a", body: "b", tags: ["c", "d".repeat(41)] });
    expect(long.text).toMatch(/^- tags: /m);
  });

  it("names an unknown field too, since it is often why another one is missing", async () => {
    const refused = await client.call("create_post", { titel: "x", body: "y" });
    expect(refused.text).toMatch(/- titel: Is not a parameter; did you mean `title`\?/);
    const over = await call(board, "POST /reports", { postid: "x", reason: "spam" });
    expect(over.body.error.issues).toContainEqual({
      path: "postid",
      code: "unknown_field",
      message: "Is not a parameter; did you mean `post_id`?",
    });
  });
});
