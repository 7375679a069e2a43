import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promptsOf } from "../../src/adapters/mcp/prompts.ts";
import { adviceOn, FAILURES } from "../../src/board/failures.ts";
import { newApiKey } from "../../src/domain/secrets.ts";
import { Site } from "../../src/domain/site.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { mcpClient, type TestClient } from "../support/clients/mcp-clients.ts";
import { type Arguments, callsIn, type Proposed, requestsIn } from "../support/clients/proposals.ts";
import { type Received, startReceiver } from "../support/clients/receiver.ts";
import { stdioCommand } from "../support/clients/stdio.ts";
import { aSubscription } from "../support/search/rows.ts";
import { distinctText } from "../support/texts/texts.ts";

/** Where calls are only described, not proposed: a schema, the manual, pages. */
const DESCRIBING = /^(?:schema|adapters\/reference|adapters\/pages)\//;
const TOOL = "about|search|get_post|register_publisher|create_post|subscribe|check_subscription|report_post";
/** A call in the source. */
const PROPOSAL = new RegExp(
  `(?:\\b(?:${TOOL}) \\{[^}\`\\n]*\\}?|\\b(?:${TOOL}) \\$\\{visibleJson|\\$\\{tool\\.name\\} \\$\\{visibleJson|\`(?:${TOOL})\` (?:and|with(?:out)?) (?:the |its |this |it )*\`?\\w+|\\$\\{call\\}|\\b(?:GET|POST|PATCH|DELETE)(?: or DELETE)? \\/(?:\\$\\{[^}]*\\}|[\\w/{}?])+)`,
  "g",
);

/** What the source proposes, file by file, each as a pattern that its sentence fits. */
function proposalsInSource(): { at: string; pattern: RegExp }[] {
  const root = "src";
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files
    .filter((file) => !DESCRIBING.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line))
        .flatMap((line) => [...line.replaceAll("\\`", "`").matchAll(PROPOSAL)])
        .map(({ 0: proposal, index, input }) => {
          // What stands before it in its sentence.
          const [before = ""] = /[\w ,:;()-]*$/.exec(input.slice(Math.max(0, index - 30), index)) ?? [];
          return {
            at: `${file}: ${before}${proposal}`,
            pattern: patternOf(before.trimStart() + proposal.replace(/\$\{call\}.*/, "")),
          };
        }),
    );
}

/** What is filled in fits anything, the key beside it too. */
const patternOf = (skeleton: string) =>
  new RegExp(
    skeleton
      .split(/\$\{[^}]*\}?/)
      .map((part) =>
        part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\{", '\\{(?:"api_key":"<yours>",?)?'),
      )
      .join("[\\s\\S]*?"),
  );

let now = Date.parse("2026-12-08T12:00:00Z");
/** A question for a name waits until so many are asked. */
const names = { together: 1 };
const waiting: (() => void)[] = [];
const records = new Map<string, string[]>();
const outbound = openOutbound({
  allow: ["127.0.0.1"],
  resolveTxt: async (name) => {
    await new Promise<void>((answer) => {
      waiting.push(answer);
      if (waiting.length === names.together) for (const each of waiting.splice(0)) each();
    });
    return (records.get(name) ?? []).map((record) => [record]);
  },
});
const agrees = { is: false };
let board: TestBoard;
let hook: Awaited<ReturnType<typeof startReceiver>>;
let keyless: TestClient;
let clients: TestClient[] = [];
beforeAll(async () => {
  board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now, outbound });
  hook = await startReceiver(({ body }: Received) =>
    agrees.is ? { body: JSON.parse(body).challenge ?? "" } : { status: 500 },
  );
  keyless = await clientWith("/mcp");
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await hook.stop();
  await board.stop();
});

async function clientWith(path: string, key?: string): Promise<TestClient> {
  const client = await mcpClient({ url: board.url + path, ...(key === undefined ? {} : { key }) });
  clients = [...clients, client];
  return client;
}

/** Every answer of a case, to which the proposals of the source are held. */
const answers: string[] = [];

/** Who asks, and what a proposal that names no id is about. */
interface Asked {
  text: string;
  key: string;
  id?: string;
  /** What the caller adds to a call, since only it can know. */
  added?: Arguments;
  /** What each search that is proposed must keep of the one that was made. */
  kept?: Arguments;
  /** Makes the calls that are written out: one without a key must name it in each that needs it. */
  tools?: TestClient;
}

/** Calls that are described in words, with the arguments that the words ask for. */
const IN_WORDS: readonly [RegExp, (asked: Asked) => Proposed][] = [
  [/`check_subscription` with this `id`/, ({ id }) => ({ tool: "check_subscription", args: { id } })],
  [/`search` with it as `publisher`/, ({ id }) => ({ tool: "search", args: { publisher: id } })],
  [/`check_subscription` without `id`/, () => ({ tool: "check_subscription", args: {} })],
  [
    /`check_subscription` (?:without `id`: )?with `detail` "?full/,
    () => ({ tool: "check_subscription", args: { detail: "full" } }),
  ],
  [/`subscribe` with its `id` and `delete`/, ({ id }) => ({ tool: "subscribe", args: { id, delete: true } })],
  [
    /`create_post` (?:with the `id` of this post|and its `id`)/,
    ({ id }) => ({ tool: "create_post", args: { id, body: "All of it." } }),
  ],
];

const NEW = { title: "Anew", body: "Said another way, at some length, for whoever reads it." };
/** What the caller of a route adds to what was proposed. */
const BODIES: Record<string, () => Arguments> = {
  "POST /posts": () => ({ body: "We come too, with four bicycles." }),
  "PATCH /posts": () => NEW,
  "POST /publishers": () => ({ name: "Again", accept_terms: true }),
  "PATCH /publishers": () => ({ name: "Renamed" }),
  "POST /publishers/verify": () => ({ url: "https://later.example.org/" }),
  "PATCH /subscriptions": () => ({ label: "Changed" }),
};

/** Follows all that a text proposes, as the key's owner, over the surface that the proposal names. */
async function follow(asked: Asked): Promise<void> {
  const { text, id = "", added = {}, kept = {} } = asked;
  let { key } = asked;
  answers.push(text);
  const keyed =
    asked.tools === undefined || asked.tools === keyless ? await clientWith("/mcp", key) : asked.tools;
  const written = callsIn(text).map((each) => ({ ...each, client: asked.tools ?? keyed }));
  const said = IN_WORDS.flatMap(([words, callOf]) =>
    words.test(text) ? [{ ...callOf(asked), client: keyed }] : [],
  );
  const proposed = [...written, ...said];
  const requests = requestsIn(text);
  expect(proposed.length + requests.length, text).toBeGreaterThan(0);
  for (const { tool, args, client } of proposed) {
    if (tool === "search")
      expect(args).toMatchObject(Object.fromEntries(Object.entries(kept).filter(([name]) => name !== "q")));
    const needs = Object.keys(args).every(
      (name) => name === "id" || name === "api_key" || name === "parent_id",
    );
    const own = args["parent_id"] === undefined ? NEW : { body: "We come too." };
    const given = { ...(tool === "create_post" && needs ? own : {}), ...args, ...added };
    const isKeyed = args["api_key"] === "<yours>";
    const answer = await (isKeyed ? keyless : client).call(tool, {
      ...given,
      ...(isKeyed ? { api_key: key } : {}),
    });
    expect([tool, given, answer.isError, answer.text]).toEqual([tool, given, false, expect.any(String)]);
  }
  // What ends the key comes last.
  for (const { method, path, body } of requests.toSorted((a, b) => rank(a) - rank(b))) {
    const route = path.replace("{id}", id).replace("pub_…", id);
    const [, first = "", second = ""] = route.split("/");
    const fields = {
      ...(BODIES[`${method} ${route}`] ?? BODIES[`${method} /${first}`] ?? (() => ({})))(),
      ...body,
      ...(second === "recover" ? { id } : {}),
      ...added,
    };
    const isRead = method === "GET" || method === "DELETE";
    const isOpen = route === "/publishers" || second === "recover";
    const answer = await call(
      board,
      `${method} ${route}`,
      isRead ? undefined : fields,
      isOpen ? {} : { key },
    );
    if (route.endsWith("rotate-key")) key = answer.body.data.api_key;
    expect([method, route, answer.status, answer.body.error ?? null]).toEqual([
      method,
      route,
      answer.status < 300 ? answer.status : 200,
      null,
    ]);
  }
}

const rank = ({ method, path }: { method: string; path: string }) =>
  Number(path.includes("rotate-key")) + 2 * Number(method === "DELETE");

/** What an answer over REST says to its reader. */
const saidOf = ({
  body,
}: {
  body: { meta?: { note?: string }; error?: { hint?: string; issues?: unknown }; data?: unknown };
}) =>
  body.error === undefined
    ? [body.meta?.note ?? "", (body.data as { next?: string } | undefined)?.next ?? ""].join("\n")
    : String(body.error.hint);

let count = 0;
const newcomer = () => {
  count += 1;
  return register(board, `Newcomer ${count}`);
};
const post = (key: string, fields: Arguments = {}) => {
  count += 1;
  return call(board, "POST /posts", { ...distinctText(300 + count), ...fields }, { key });
};
const postId = async (key: string, fields: Arguments = {}): Promise<string> =>
  (await post(key, fields)).body.data.id;

type Case = [
  what: string,
  ask: (key: string, isInArgument: boolean) => Promise<Partial<Asked> & { text: string }>,
];

/** Asks a tool, with the key in the header or in the argument. */
async function asking(tool: string, args: Arguments, key: string, isInArgument: boolean): Promise<string> {
  const takesKey = !["search", "get_post", "about"].includes(tool);
  if (!isInArgument) return (await (await clientWith("/mcp", key)).call(tool, args)).text;
  return (await keyless.call(tool, takesKey ? { ...args, api_key: key } : args)).text;
}

const fresh = () => {
  count += 1;
  return distinctText(2_000 + count);
};
/** A post with these fields. @param added  what its author adds to the calls that are proposed */
const creating =
  (fields: Arguments = {}, added: Arguments = {}): Case[1] =>
  async (key, where) => {
    const text = await asking("create_post", { ...fresh(), ...fields }, key, where);
    return { text, added, id: /id: (\S+)/.exec(text)?.[1] ?? "" };
  };
/** The same post so often, the last time over MCP unless `last` says otherwise. */
const repeating =
  (
    times: number,
    first: (key: string, said: Arguments) => Promise<unknown>,
    added: Arguments = {},
    last = (said: Arguments, key: string, where: boolean) => asking("create_post", said, key, where),
  ): Case[1] =>
  async (key, where) => {
    const said = fresh();
    for (let n = 1; n < times; n += 1) await first(key, said);
    await board.flush();
    return { text: await last(said, key, where), added };
  };
const byOneself = (key: string, said: Arguments) => call(board, "POST /posts", said, { key });
const byAnother = async (_key: string, said: Arguments) => call(board, "POST /posts", said, await newcomer());
/** A tool with these arguments, once all else is there; `kept` must be in each search that is proposed. */
const telling =
  (
    tool: string,
    argsOf: (key: string) => Promise<Arguments>,
    { kept = {}, added = {} }: Pick<Asked, "kept" | "added"> = {},
  ): Case[1] =>
  async (key, where) => {
    const args = await argsOf(key);
    const id = typeof args["id"] === "string" ? args["id"] : "";
    return { text: await asking(tool, args, key, where), id, kept, added };
  };
const saved = async (key: string, q: string): Promise<string> =>
  (await call(board, "POST /subscriptions", { query: { q } }, { key })).body.data.id;

const JAZZ = { kind: "event", tags: ["jazz"], starts_at: "2026-12-12T19:00:00Z" };
const IN_BERLIN = { ...JAZZ, location: { name: "Berlin", lat: 52.52, lng: 13.4 } };
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
const NOWHERE = { location: { name: "Nowhere-at-all" } };
const OVER_MCP: Case[] = [
  ["a new post", creating()],
  ["a field that readers do not see", creating({ color: "red" })],
  ["a place that is unknown", creating(NOWHERE)],
  ["a place that several towns are", creating({ location: { name: "Springfield" } })],
  [
    "a place by its name alone",
    creating({ location: { name: "Utrecht" } }, { location: { name: "Utrecht", lat: 52.1, lng: 5.1 } }),
  ],
  [
    "a place far from its coordinates",
    creating(
      { location: { name: "Berlin", lat: -33.9, lng: 151.2 } },
      { location: { name: "Sydney", lat: -33.9, lng: 151.2 } },
    ),
  ],
  ["a date in the past", creating({ starts_at: "2001-01-01T10:00:00Z" })],
  [
    "an idempotency key that is used otherwise",
    async (key, where) => {
      await asking("create_post", { ...fresh(), idempotency_key: "once" }, key, where);
      return creating({ idempotency_key: "once" })(key, where);
    },
  ],
  ["what was said already", repeating(2, byAnother)],
  ["what oneself said already", repeating(2, byOneself)],
  ["a storm of duplicates", repeating(5, byOneself, NEW)],
  [
    "a post that has ended",
    telling("create_post", async (key) => ({ id: await postId(key), expires_at: "now" })),
  ],
  [
    "words of place and time",
    telling(
      "search",
      async (key) => {
        await post(key, IN_BERLIN);
        return { ...FILTERS, q: "jazz near Berlin this weekend" };
      },
      { kept: FILTERS },
    ),
  ],
  [
    "words of place and time in a saved query",
    async (key, where) => {
      const text = await asking("subscribe", { query: { q: "jazz near Berlin" } }, key, where);
      // A look that waits is answered at once.
      await post(key, { title: "Jazz near Berlin" });
      return { text };
    },
  ],
  ...[
    { ...FILTERS, q: "jazz" },
    { tags: "jazz", detail: "full" },
  ].map(
    (filters): Case => [
      `a list that goes on: ${Object.keys(filters).join(", ")}`,
      telling(
        "search",
        async (key) => {
          for (let n = 0; n < 2; n += 1) await post(key, JAZZ);
          return { ...filters, limit: 1 };
        },
        { kept: filters },
      ),
    ],
  ),
  [
    "what fits the filters alone",
    telling("search", async (key) => {
      for (const title of ["A zither", "A lyre"]) await post(key, { ...JAZZ, tags: ["alone"], title });
      return { q: "zither", tags: "alone", kind: "event" };
    }),
  ],
  [
    "a text that goes on",
    telling("get_post", async (key) => ({
      id: await postId(key, { body: "A long word or two. ".repeat(390) }),
    })),
  ],
  [
    "replies that go on",
    telling("get_post", async (key) => {
      const parent_id = await postId(key, { kind: "thread" });
      for (let n = 0; n < 5; n += 1)
        await post((await newcomer()).key, { body: `${n} `.repeat(3_999), parent_id });
      return { id: parent_id };
    }),
  ],
  ["a look at everything", telling("check_subscription", async () => ({ limit: 2 }))],
  [
    "a look at one saved query",
    telling("check_subscription", async (key) => ({ id: await saved(key, "tuba"), limit: 1 })),
  ],
  [
    "a new saved query",
    telling("subscribe", async () => ({ query: { q: `lute ${count}` } }), { added: { wait_s: 0 } }),
  ],
  [
    "a saved query that there is",
    telling(
      "subscribe",
      async (key) => {
        await saved(key, "harp");
        return { query: { q: "harp" } };
      },
      { added: { active: false } },
    ),
  ],
  ["a paused query", telling("subscribe", async (key) => ({ id: await saved(key, "flute"), active: false }))],
  [
    "an id of a saved query as a post",
    telling("get_post", async (key) => ({ id: await saved(key, "drum") })),
  ],
  [
    "an id of a publisher as a post",
    telling("get_post", async (key) => ({
      id: (await call(board, "GET /publishers/me", undefined, { key })).body.data.id,
    })),
  ],
  ["an unknown saved query", telling("check_subscription", async () => ({ id: "sub_22222222222222" }))],
  [
    "a saved query too many",
    async (key, where) => {
      const { body } = await call(board, "GET /publishers/me", undefined, { key });
      const first = await saved(key, "the first reed");
      for (let n = 1; n < 50; n += 1) {
        const reed = aSubscription(`${first}${n}`, { publisherId: body.data.id, query: { q: `reed ${n}` } });
        await board.board.store.subscriptions.insert(reed, 50);
      }
      const text = await asking("subscribe", { query: { q: "one reed more" } }, key, where);
      return { text, id: first };
    },
  ],
  [
    "one's own key at registration",
    telling("register_publisher", async () => ({ name: "Me again", accept_terms: true })),
  ],
];

describe.each(["header", "argument"])("over MCP, with the key in the %s, what is proposed", (where) => {
  it.each(OVER_MCP)("for %s succeeds", async (_what, ask) => {
    const { key } = await newcomer();
    const isInArgument = where === "argument";
    await follow({ key, ...(await ask(key, isInArgument)), ...(isInArgument ? { tools: keyless } : {}) });
  });
});

describe("over stdio, what is proposed", () => {
  it("for a new post succeeds, where nothing serves its page", async () => {
    const { key } = await newcomer();
    const tools = await mcpClient(stdioCommand(board.dataDir, [], { BOARD_API_KEY: key }));
    clients = [...clients, tools];
    const { text } = await tools.call("create_post", distinctText(899));
    await follow({ key, text, tools });
  });

  it.each([
    ["the instructions", promptsOf("tools", new Site("http://board.example")).instructions],
    [
      "a prompt",
      JSON.stringify(
        promptsOf("tools", new Site("http://board.example")).filled("post_well", { what: "A lamp" }),
      ),
    ],
    ["the table of failures, of a storm", adviceOn("tools", FAILURES.duplicate_storm.hint)],
  ])("by %s succeeds", async (_where, text) => {
    const { key } = await newcomer();
    await follow({ key, text, id: await postId(key) });
  });
});

/** A publisher whose domain is proved. */
async function verified(): Promise<{ id: string; key: string }> {
  count += 1;
  const fields = { name: "Proved", url: `https://site${count}.example.org/`, accept_terms: true };
  const { id, api_key: key, verify } = (await call(board, "POST /publishers", fields)).body.data;
  records.set(verify.dns.name, [verify.dns.value]);
  expect((await call(board, "POST /publishers/verify", {}, { key })).status).toBe(200);
  return { id, key };
}

/** Saves a query with a webhook whose owner has not agreed. */
async function unasked(key: string): Promise<string> {
  const sent = { query: { q: `bell ${count}` }, webhook_url: hook.url };
  const { body } = await call(board, "POST /subscriptions", sent, { key });
  return body.data.id;
}

const rest = (request: `${string} ${string}`, body: unknown, key?: string) =>
  call(board, request, body, key === undefined ? {} : { key }).then(saidOf);

const publishing = (said: Arguments, key: string) => rest("POST /posts", said, key);
/** One call, by the publisher. */
const answered =
  (request: `${string} ${string}`, body?: unknown): Case[1] =>
  async (key) => ({ text: await rest(request, body, key) });

const OVER_REST: Case[] = [
  [
    "a field that readers do not see",
    async (key) => {
      const answer = await post(key, { color: "red" });
      return { text: saidOf(answer), id: answer.body.data.id };
    },
  ],
  ["a place that is unknown", async (key) => ({ text: saidOf(await post(key, NOWHERE)) })],
  ["what was said already", repeating(2, byAnother, {}, publishing)],
  ["a storm of duplicates", repeating(5, byOneself, {}, publishing)],
  [
    "a post that has ended",
    async (key) => ({ text: await rest(`PATCH /posts/${await postId(key)}`, { expires_at: "now" }, key) }),
  ],
  ["words of place and time", answered("GET /search?q=jazz+near+Berlin+this+weekend")],
  [
    "a saved query that there is",
    async (key) => {
      await saved(key, "harp");
      return answered("POST /subscriptions", { query: { q: "harp" } })(key, false);
    },
  ],
  ["an unknown saved query", answered("GET /subscriptions/sub_22222222222222")],
  ["an unknown post", answered("GET /posts/2222222222")],
  [
    "a hidden post",
    async (key) => {
      const id = await postId((await newcomer()).key);
      await board.board.services.moderation.act("hide", id, "test", now);
      return { text: await rest(`GET /posts/${id}`, undefined, key) };
    },
  ],
  ["no key", async () => ({ text: await rest("POST /posts", distinctText(1103)) })],
  [
    "a wrong key",
    async () => {
      const { id, key } = await verified();
      return { key, id, text: await rest("POST /posts", distinctText(1104), newApiKey()) };
    },
  ],
  [
    "a key in a text",
    async (key) => ({ text: await rest("POST /posts", { title: "Mine", body: key }, key) }),
  ],
  ["one's own key at registration", answered("POST /publishers", { name: "Me", accept_terms: true })],
  [
    "a suspended publisher",
    async (key) => {
      const { body } = await call(board, "GET /publishers/me", undefined, { key });
      await board.board.services.moderation.act("suspend", body.data.id, "test", now);
      return { text: await rest("POST /posts", distinctText(1105), key) };
    },
  ],
  [
    "a publisher without a website",
    async (key) => {
      const { body } = await call(board, "GET /publishers/me", undefined, { key });
      return { text: body.data.verify.next };
    },
  ],
  [
    "a website that is not proved yet",
    async (key) => {
      const url = "https://unproved.example.org/";
      const { body } = await call(board, "POST /publishers/verify", { url }, { key });
      return { text: body.data.verify.next };
    },
  ],
  [
    "a recovery that begins",
    async () => {
      const { id, key } = await verified();
      const { body } = await call(board, "POST /publishers/recover", { id });
      return { key, id, text: body.data.next, added: { recovery: body.data.recovery } };
    },
  ],
  [
    "a webhook that has not agreed",
    async (key) => {
      const id = await unasked(key);
      const text = await rest(`POST /subscriptions/${id}/test`, {}, key);
      agrees.is = true;
      return { id, text };
    },
  ],
  [
    "a delivery that is not there",
    async (key) => {
      agrees.is = true;
      const id = await unasked(key);
      await call(board, `POST /subscriptions/${id}/verify-webhook`, {}, { key });
      return { id, text: await rest(`POST /subscriptions/${id}/deliveries/999/redeliver`, {}, key) };
    },
  ],
];

describe("over REST, what is proposed", () => {
  it("by the table of failures, of a storm, succeeds", async () => {
    const { key } = await newcomer();
    await follow({ key, text: adviceOn("rest", FAILURES.duplicate_storm.hint), id: await postId(key) });
  });

  it("for a recovery that another one overtook succeeds", async () => {
    const { id, key } = await verified();
    const { recovery, dns } = (await call(board, "POST /publishers/recover", { id })).body.data;
    records.set(dns.name, [...(records.get(dns.name) ?? []), dns.value]);
    await call(board, "POST /publishers/recover", { id, recovery });
    now += 24 * 3_600_000;
    // Both have read the publisher before either goes on.
    names.together = 2;
    const both = [1, 2].map(() => call(board, "POST /publishers/recover", { id, recovery }));
    const said = (await Promise.all(both)).map(({ body }) => body.data);
    names.together = 1;
    const won = said.find((data) => "api_key" in data);
    const lost = said.find((data) => !("api_key" in data));
    await follow({ key: won?.api_key ?? key, id, text: lost?.next ?? "" });
  });

  it.each(OVER_REST)("for %s succeeds", async (_what, ask) => {
    agrees.is = false;
    const { key } = await newcomer();
    await follow({ key, ...(await ask(key, false)) });
  });

  it("is all that the source proposes: what none of these met is named here", () => {
    const met = (pattern: RegExp) => answers.some((text) => pattern.test(text));
    const unmet = proposalsInSource().filter(({ pattern }) => !met(pattern));
    expect(unmet.map(({ at }) => at)).toEqual([]);
  });
});
