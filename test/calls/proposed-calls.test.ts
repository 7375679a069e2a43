import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { type Arguments, callsIn } from "../support/clients/proposals.ts";
import { distinctText } from "../support/texts/texts.ts";

const NOW = Date.parse("2026-12-08T12:00:00Z");
/** The fields that a caller adds to a proposed call, by the field that the call has. */
const ADDED: Record<string, Arguments> = {
  parent_id: { body: "We come too, with four bicycles." },
  id: { starts_at: "2026-12-20T19:00:00Z", location: { name: "Amsterdam", lat: 52.37, lng: 4.9 } },
};

const board = useTestBoard({}, { clock: () => NOW });
const own = usePublisher(board, "Proposer");
const keyed = useClient(board, "/mcp", own);
const keyless = useClient(board, "/mcp");
let subscription: string;
let thread: string;
beforeAll(async () => {
  const other = await register(board, "Another");
  const saved = await call(board, "POST /subscriptions", { query: { q: "jazz" } }, own);
  subscription = saved.body.data.id;
  for (let n = 0; n < 3; n += 1) {
    const post = { ...JAZZ, title: `Jazz ${n}`, body: distinctText(n).body };
    await call(board, "POST /posts", post, other);
  }
  thread = (await call(board, "POST /posts", { ...THREAD, kind: "thread" }, other)).body.data.id;
  // One answer does not show five replies of the greatest length.
  for (let n = 0; n < 5; n += 1) {
    const reply = { title: `Re ${n}`, body: `${n} `.repeat(3_999), parent_id: thread };
    await call(board, "POST /posts", reply, await register(board, `Verbose ${n}`));
  }
  await board.flush();
});

const JAZZ = {
  kind: "event",
  tags: ["jazz"],
  location: { name: "Berlin", lat: 52.52, lng: 13.4 },
  starts_at: "2026-12-12T19:00:00Z",
};
const THREAD = { title: "How do you carry a double bass?", body: "On which bicycle?" };
const FILTERS = {
  kind: "event,offer",
  tags: "jazz",
  radius_km: 7.5,
  verified: false,
  include_replies: true,
  include_syndicated: true,
  timezone: "Europe/Berlin",
  sort: "soonest",
};
const PAST = { title: "A past fair", body: "It was long ago.", starts_at: "2001-01-01T10:00:00Z" };
const WHERE = { title: "A fair at Nowhere-at-all", body: "Come.", location: { name: "Nowhere-at-all" } };

const withAdded = (args: Arguments): Arguments => {
  const [name, ...others] = Object.keys(args).filter((field) => field !== "api_key");
  return others.length === 0 && name !== undefined ? { ...ADDED[name], ...args } : args;
};

describe.each(["header", "argument"])(
  "over MCP, with the key in the %s, a call that an answer proposes",
  (where) => {
    const inArgument = where === "argument";
    const client = {
      /** As an agent calls that puts its key where the answer says "<yours>". */
      call: (tool: string, args: Arguments) => {
        const takesKey = !["search", "get_post", "about"].includes(tool) && !("api_key" in args);
        if (!inArgument) return keyed.call(tool, args);
        if (args["api_key"] === "<yours>") return keyless.call(tool, { ...args, api_key: own.key });
        return keyless.call(tool, takesKey && isFirst ? { ...args, api_key: own.key } : args);
      },
    };
    /** Only what the agent begins with has a key by itself: a proposed call must say that it needs one. */
    let isFirst = true;
    it.each<[string, string, () => Arguments, proposed?: string]>([
      [
        "filters by the words of time and place",
        "search",
        () => ({ ...FILTERS, q: "jazz near Berlin this weekend" }),
      ],
      ["goes on with a list", "search", () => ({ ...FILTERS, q: "jazz", limit: 1 })],
      ["goes on with whole posts", "search", () => ({ tags: "jazz", limit: 1, detail: "full" })],
      ["asks for further replies", "get_post", () => ({ id: thread })],
      ["looks again at everything", "check_subscription", () => ({ limit: 2 })],
      ["looks again at one saved query", "check_subscription", () => ({ id: subscription, limit: 1 })],
      [
        "waits for a new saved query",
        "subscribe",
        () => ({ query: { q: "lute", kind: "offer" } }),
        "check_subscription",
      ],
      ["reads the replies to a new post", "create_post", () => distinctText(20), "check_subscription"],
      ["puts right a date in the past", "create_post", () => PAST],
      ["gives a place coordinates", "create_post", () => WHERE],
      ["replies to what was said already", "create_post", () => THREAD],
    ])("that %s is accepted, and keeps what the caller sent", async (_what, tool, args, proposed = tool) => {
      isFirst = true;
      const sent = args();
      const { text, isError } = await client.call(tool, sent);
      isFirst = false;
      expect([isError, text]).toEqual([false, expect.any(String)]);
      const calls = callsIn(text).filter((each) => each.tool === proposed);
      expect(calls, text).not.toEqual([]);
      for (const next of calls) {
        if (next.tool === tool && tool !== "create_post") {
          const { q, ...filters } = sent;
          expect(next.args).toMatchObject(filters);
          if (q !== undefined) expect(next.args["q"]).toBeTypeOf("string");
        }
        // Otherwise the call would wait for a match that never comes.
        if ("wait_s" in next.args)
          await keyed.call("create_post", { title: "A lute", body: "A lute to sell.", kind: "offer" });
        const answer = await client.call(next.tool, withAdded(next.args));
        expect([next, answer.isError, answer.text]).toEqual([next, false, expect.any(String)]);
      }
    });
  },
);

describe("over REST, a call that an answer proposes", () => {
  it("that filters by the words of time and place is accepted, and keeps what the caller sent", async () => {
    const sent = { ...FILTERS, q: "jazz near Berlin this weekend", limit: "5", rerank: "false" };
    const strings = Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]);
    const { meta } = (await call(board, `GET /search?${new URLSearchParams(strings)}`)).body;
    const [, path = ""] = /To see only that: GET \/api\/v1(\/search\?\S+)\. /.exec(`${meta.note} `) ?? [];
    expect(Object.fromEntries(new URL(path, board.url).searchParams)).toEqual({
      ...Object.fromEntries(strings),
      near: "Berlin, Germany",
      after: "2026-12-12",
      before: "2026-12-13",
    });
    const { status, body } = await call(board, `GET ${path}`);
    expect([status, body.data.length]).toEqual([200, 3]);
  });

  it.each([
    ["that puts right a date in the past", { ...PAST, title: "Another past fair", body: "Long gone." }],
    ["that gives a place coordinates", { ...WHERE, title: "Another fair", body: "Elsewhere." }],
    ["that replies to what was said already, or takes it back", THREAD],
  ])("%s is accepted", async (_what, post) => {
    const { key } = await register(board, "Corrected");
    const { body } = await call(board, "POST /posts", post, { key });
    const calls = [
      ...String(body.meta.note).matchAll(
        /\b(PATCH|POST|DELETE) (\/posts[\w/-]*)(?: with `parent_id` "([\w-]+)")?/g,
      ),
    ];
    expect(calls, body.meta.note).not.toEqual([]);
    for (const [, method = "", path = "", parent] of calls) {
      const sent =
        method === "POST"
          ? { ...ADDED["parent_id"], parent_id: parent }
          : method === "PATCH"
            ? ADDED["id"]
            : undefined;
      const answer = await call(board, `${method} ${path}`, sent, { key });
      expect([method, path, answer.body.ok]).toEqual([method, path, true]);
    }
  });
});
