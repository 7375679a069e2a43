import { afterAll, describe, expect, it } from "vitest";
import { parseInput } from "../../src/adapters/calls/input.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import {
  type Advice,
  adviceOn,
  BoardError,
  FAILURES,
  type FailureCode,
  type Surface,
} from "../../src/board/failures.ts";
import { newApiKey } from "../../src/domain/secrets.ts";
import { startBoard } from "../support/boards/board.ts";
import { type Answer, call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { distinctText } from "../support/texts/texts.ts";

const NOT_PROVOKED: readonly FailureCode[] = [
  // Needs a broken program; envelope.test.ts tests its envelope.
  "internal",
  // Needs a broken database or a thousand calls at once; see broken-machine.slow.test.ts.
  "store_unavailable",
  "overloaded",
];
const provoked = new Set<string>();

/** Clients branch on these: what is not among them is a 400. */
const STATUSES: Readonly<Record<number, string>> = {
  401: "missing_api_key invalid_api_key",
  403: "not_owner publisher_suspended registration_closed invite_needed",
  404: "not_found post_not_found post_hidden parent_not_found publisher_not_found subscription_not_found",
  405: "method_not_allowed",
  409: "too_many_subscriptions already_registered",
  412: "precondition_failed",
  413: "body_too_large",
  415: "unsupported_media_type",
  429: "rate_limited duplicate_storm",
  500: "internal",
  503: "read_only store_unavailable overloaded",
};
const statusOf = (code: FailureCode) =>
  Number(Object.entries(STATUSES).find(([, codes]) => codes.split(" ").includes(code))?.[0] ?? 400);

/** Checks an answer against the table of failures and the envelope. */
function expectFailure({ status, body, headers }: Answer, code: FailureCode): void {
  expect(body.error?.code).toBe(code);
  expect(status).toBe(statusOf(code));
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(body).toMatchObject({
    ok: false,
    error: {
      code,
      message: FAILURES[code].message,
      hint: expect.stringMatching(/\S/),
      issues: expect.any(Array),
    },
    meta: { board: { launched: expect.any(String) }, docs: expect.any(String), mcp: expect.any(String) },
  });
  for (const issue of body.error.issues) {
    expect(issue).toEqual({
      path: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
    });
  }
  provoked.add(code);
}

describe("what is said of a field", async () => {
  const { tools, operations } = await loadCatalog();
  const parsed = (name: string, sent: object, source: "body" | "query", surface?: "tools") => {
    const operation = [...tools, ...operations].find((one) => one.name === name);
    if (operation === undefined) throw new Error(`no ${name}`);
    return parseInput(operation, { ...sent }, source, surface);
  };
  const refusal = (...call: Parameters<typeof parsed>): BoardError => {
    try {
      parsed(...call);
    } catch (error) {
      if (error instanceof BoardError) return error;
    }
    throw new Error("it was taken");
  };
  const KINDS = "Must be event, offer, request, announcement or thread";

  it.each<[name: string, source: "body" | "query", sent: object, issues: [string, string, string][]]>([
    [
      "create_post",
      "body",
      { title: "x".repeat(201), body: 5, tags: ["a", "x".repeat(41)], location: { lat: 91, lng: "east" } },
      [
        ["title", "too_big", "Has 201 characters; at most 200 are allowed."],
        ["body", "invalid_type", "Must be text."],
        ["tags.1", "too_big", "Has 41 characters; at most 40 are allowed."],
        ["location.lat", "too_big", "Must be at most 90."],
        ["location.lng", "invalid_type", "Must be a number."],
      ],
    ],
    [
      "create_post",
      "body",
      { title: "", tags: 5, location: 7 },
      [
        ["title", "too_small", "Must not be empty."],
        ["body", "required", "Required."],
        ["tags", "invalid_type", "Must be a list."],
        ["location", "invalid_type", "Must be an object."],
      ],
    ],
    [
      "create_post",
      "body",
      {
        ...{ title: "x", body: "y".repeat(8_001), url: "nope", starts_at: "soon", metadata: 5 },
        tags: Array.from({ length: 21 }, (_, n) => `t${n}`),
      },
      [
        ["body", "too_big", "Has 8001 characters; at most 8000 are allowed."],
        ["url", "invalid_url", "Must be a complete URL, such as https://example.org/page."],
        [
          "starts_at",
          "invalid_format",
          "Must be an ISO 8601 date-time with an offset, such as 2026-12-01T18:30:00+01:00, or a local one beside `timezone`.",
        ],
        ["metadata", "too_big", "Must be a JSON object."],
        ["tags", "too_big", "Must be at most 20 items."],
      ],
    ],
    [
      "redeliver",
      "body",
      { id: "sub_4yTq8WnZ2kPv6R", delivery_id: "0" },
      [["delivery_id", "too_small", "Must be at least 1."]],
    ],
    [
      "rotate_key",
      "body",
      { sign_out_hosts: "maybe" },
      [["sign_out_hosts", "invalid_type", "Must be true or false."]],
    ],
    [
      "report_post",
      "body",
      { reason: "bad" },
      [
        ["post_id", "required", "Required."],
        [
          "reason",
          "invalid_value",
          "Must be spam, scam, illegal, harassment, privacy, copyright, injection or other.",
        ],
      ],
    ],
    [
      "search",
      "query",
      { kind: "poem,sale", radius_km: "600", verified: "maybe", limit: "1.5" },
      [
        ["kind", "invalid_value", `${KINDS}.`],
        ["kind", "invalid_value", `${KINDS}; this is called offer.`],
        ["radius_km", "too_big", "Must be at most 500."],
        ["verified", "invalid_type", "Must be true or false."],
        ["limit", "invalid_type", "Must be a whole number."],
      ],
    ],
    [
      "search",
      "query",
      { sort: "best", limit: "0" },
      [
        ["sort", "invalid_value", "Must be relevance, newest or soonest."],
        ["limit", "too_small", "Must be at least 1."],
      ],
    ],
    // A list of a saved query may come as one text, and is named as a whole.
    [
      "subscribe",
      "body",
      { query: { kind: ["offer", "poem"], radius_km: 0 }, breadth: "broad" },
      [
        ["query.kind", "invalid_value", `${KINDS}.`],
        ["query.radius_km", "too_small", "Must be at least 0.1."],
        ["breadth", "invalid_value", "Must be close or wide."],
      ],
    ],
    [
      "create_post",
      "body",
      { titel: "x", body: "y", ttl: 5 },
      [
        ["title", "required", "Required, except in a reply (`parent_id`)."],
        ["titel", "unknown_field", "Is not a parameter; did you mean `title`?"],
        [
          "ttl",
          "unknown_field",
          "Is not a parameter. Nothing here ends by this field. `expires_at` says when readers stop finding a post.",
        ],
      ],
    ],
    [
      "edit_post",
      "body",
      { id: "7fKm3Qx9Rt", ttl: 5 },
      [
        [
          "ttl",
          "unknown_field",
          'Is not a parameter. Nothing here ends by this field. `expires_at` "now" ends a post.',
        ],
      ],
    ],
    [
      "edit_post",
      "body",
      { id: "7fKm3Qx9Rt", status: "closed" },
      [
        [
          "status",
          "unknown_field",
          'Is not a parameter. Nothing here is tried out, kept as a draft or held back: a call does at once what it says. `expires_at` "now" ends a post.',
        ],
      ],
    ],
    [
      "create_post",
      "body",
      {
        ...{ title: "x", body: "y", status: "closed", hidden: true, scheduled_at: "later" },
        location: { name: "Oslo", state: "Oslo", visibility: "private" },
      },
      [
        [
          "location.visibility",
          "unknown_field",
          "Is not a parameter. Everything here is public: no post is private, hidden or for somebody alone.",
        ],
        [
          "status",
          "unknown_field",
          "Is not a parameter. Nothing here is tried out, kept as a draft or held back: a call does at once what it says.",
        ],
        [
          "hidden",
          "unknown_field",
          "Is not a parameter. Everything here is public: no post is private, hidden or for somebody alone.",
        ],
        [
          "scheduled_at",
          "unknown_field",
          "Is not a parameter. Nothing here is put off: a call does at once what it says.",
        ],
      ],
    ],
    [
      "subscribe",
      "body",
      { query: { q: "x", langauge: "de" }, ttl: 5, frequency: "daily" },
      [
        [
          "query.langauge",
          "unknown_field",
          "Is not a parameter. A saved query has no such field; all that it looks for stands in `query`.",
        ],
        ["ttl", "unknown_field", "Is not a parameter. Nothing here ends by this field."],
        [
          "frequency",
          "unknown_field",
          "Is not a parameter. A saved query has no such field; all that it looks for stands in `query`.",
        ],
      ],
    ],
  ])("of %s in a %s: %j", (name, source, sent, issues) => {
    const { code, issues: said } = refusal(name, sent, source);
    expect(code).toBe(source === "query" ? "invalid_query" : "invalid_request");
    expect(said.map(({ path, code, message }) => [path, code, message]).sort()).toEqual([...issues].sort());
  });

  it.each<[name: string, sent: object, surface: "tools" | undefined, notes: unknown[]]>([
    // Only a post or a saved query is not written without what seems misspelt.
    [
      "register_publisher",
      { name: "x", accept_terms: true, descripton: "d" },
      "tools",
      ["`descripton` is not a parameter; did you mean `description`? It was ignored."],
    ],
    [
      "create_post",
      { title: "x", body: "y", titel: "d", repeats: "weekly", contact: "c" },
      undefined,
      [
        "`titel` is not a parameter; did you mean `title`? It was ignored.",
        "`repeats` is not kept: one post is one date. Publish one post for each date.",
        {
          rest: "Readers do not see `contact`: put what matters into `body` (PATCH /posts/{id}).",
          tools:
            "Readers do not see `contact`: put what matters into `body` (`create_post` with the `id` of this post and a new `body`).",
        },
      ],
    ],
    [
      "search",
      { "a b<c": 1, ["x".repeat(41)]: 2 },
      undefined,
      [
        "`a?b?c` is not a parameter and was ignored.",
        `\`${"x".repeat(40)}\` is not a parameter and was ignored.`,
      ],
    ],
  ])("that is left out: %s %j", (name, sent, surface, notes) => {
    expect(parsed(name, sent, "body", surface).notes).toEqual(notes);
  });

  const AGAIN = "Leave these fields out and send it again, if what then happens at once is what is meant.";
  const RIGHT_NAMES = "Nothing was written. Send it again with these fields under their right names.";
  it.each<[name: string, sent: object, hint: string]>([
    ["register_publisher", { name: "x", accept_terms: true, private: true }, `Nothing was written. ${AGAIN}`],
    [
      "create_post",
      { title: "x", body: "y", draft: true, titel: "z" },
      `Every post is public at once; there are no drafts, schedules or private messages. Nothing was written. ${AGAIN}`,
    ],
    ["delete_post", { id: "7fKm3Qx9Rt", dry_run: true }, `Nothing was written. ${AGAIN}`],
    ["create_post", { title: "x", body: "y", expires: "2026" }, RIGHT_NAMES],
    ["create_post", { title: "x", body: "y", venue: "The mill" }, RIGHT_NAMES],
    ["create_post", { title: "x", body: "y", location: { nam: "x", lat: 1, lng: 2 } }, RIGHT_NAMES],
  ])("that nothing is written with says what to do: %s %j", (name, sent, hint) => {
    expect(refusal(name, sent, "body")).toMatchObject({ code: "invalid_request", hint });
  });

  it.each(["recurrence", "recurring", "rrule", "repeat", "repeats", "frequency", "RRULE"])(
    "that would make a series of a post is no part of one: %s",
    (field) => {
      expect(parsed("create_post", { title: "x", body: "y", [field]: "weekly" }, "body").notes).toEqual([
        `\`${field}\` is not kept: one post is one date. Publish one post for each date.`,
      ]);
    },
  );

  it("that takes one of some words takes it in any letter case, with blanks around it", () => {
    const post = parsed("create_post", { title: "OFFER", body: "Offer", kind: " Offer " }, "body").input;
    expect(post).toMatchObject({ title: "OFFER", body: "Offer", kind: "offer" });
    expect(parsed("search", { q: "OR", sort: "NEWEST ", kind: "Offer,EVENT" }, "query").input).toMatchObject({
      ...{ q: "OR", sort: "newest", kind: ["offer", "event"] },
    });
  });

  it.each<[code: FailureCode, sent: object]>([
    ["invalid_url", { url: "nope", source_url: "nope" }],
    ["invalid_request", { url: "nope", title: "" }],
    ["invalid_request", { url: "nope", kind: "poem" }],
  ])("fails with its own code where nothing else is wrong: %s for %j", (code, sent) => {
    expect(refusal("create_post", { title: "x", body: "y", ...sent }, "body").code).toBe(code);
  });

  it("that seems misspelt refuses a post and a saved query over MCP", () => {
    for (const [name, sent] of [
      ["create_post", { title: "x", body: "y", titel: "d" }],
      ["subscribe", { query: { q: "x" }, lable: "y" }],
    ] as const) {
      expect(refusal(name, sent, "body", "tools").hint).toContain("under their right names");
      expect(parsed(name, sent, "body").notes).toHaveLength(1);
    }
  });
});

describe("failures", () => {
  const board = useTestBoard({ REPORTS_TO_HIDE: "1" });
  const me = usePublisher(board);
  const other = usePublisher(board, "Other");
  let count = 0;
  const post = (fields: object = {}, as = me) => {
    count += 1;
    return call(board, "POST /posts", { ...distinctText(count), ...fields }, as);
  };

  /** Sends a call that must fail so, by `as`, or by nobody where that is null. */
  const fails = async (
    code: FailureCode,
    request: `${string} ${string}`,
    body?: unknown,
    as: { key: string } | null = me,
  ) => {
    const answer = await call(board, request, body, as ?? {});
    expectFailure(answer, code);
    return answer;
  };
  const subscribe = async () =>
    (await call(board, "POST /subscriptions", { query: { q: "x" } }, me)).body.data.id;

  it("fails with invalid_request for a body with several problems, and names them all", async () => {
    const { body } = await fails("invalid_request", "POST /posts", {
      ...{ title: 5, kind: "poem", tags: ["a", ""], location: { lat: 91, lng: "east" }, starts_at: "soon" },
    });
    const issues: { path: string; code: string }[] = body.error.issues;
    expect(Object.fromEntries(issues.map(({ path, code }) => [path, code]))).toEqual({
      title: "invalid_type",
      body: "required",
      kind: "invalid_value",
      "tags.1": "too_small",
      "location.lat": "too_big",
      "location.lng": "invalid_type",
      starts_at: "invalid_format",
    });
  });

  it("fails with invalid_query for parameters out of range", async () => {
    const { body } = await fails(
      "invalid_query",
      "GET /search?limit=101&near=91,0&kind=poem&after=yesterday",
    );
    expect(body.error.issues.map((issue: { path: string }) => issue.path.split(".")[0]).sort()).toEqual([
      ...["after", "kind", "limit", "near"],
    ]);
  });

  it("fails with invalid_json for bytes that are not UTF-8, and over MCP with its code", async () => {
    const body = Buffer.from('{"title":"Café","body":"Open."}', "latin1");
    const headers = { "content-type": "application/json", authorization: `Bearer ${me.key}` };
    const answer = await fetch(`${board.api}/posts`, { method: "POST", headers, body });
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([400, "invalid_json"]);
    const overMcp = await fetch(`${board.url}/mcp`, { method: "POST", headers, body });
    expect(await overMcp.json()).toMatchObject({ error: { code: -32700 } });
  });

  it("fails with invalid_cursor for a damaged cursor, one of another query and one of another list", async () => {
    for (let i = 0; i < 3; i += 1) await post({ tags: ["cursor"] });
    const first = await call(board, "GET /search?tags=cursor&limit=1");
    const cursor: string = first.body.next_cursor;
    expect(cursor).toEqual(expect.any(String));
    const damaged = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
    await fails("invalid_cursor", `GET /search?tags=cursor&cursor=${damaged}`);
    await fails("invalid_cursor", `GET /search?tags=other&cursor=${cursor}`);
    await fails("invalid_cursor", `GET /posts/${first.body.data[0].id}/replies?cursor=${cursor}`);
  });

  it.each<[FailureCode, string, object | string]>([
    ["invalid_json", "half an object", "{"],
    ["invalid_json", "a member without a value", '{"title": }'],
    ["invalid_json", "half a word", "nul"],
    ["invalid_json", "a NUL", "\u0000"],
    ["invalid_expiry", "an expiry in the past", { expires_at: "2020-01-01T00:00Z" }],
    ["invalid_window", "an end in the past", { ends_at: "2020-01-01T00:00Z" }],
    ["parent_not_found", "a reply to nothing", { parent_id: "nobodyhas1" }],
    ...[
      "javascript:alert(1)",
      "ftp://example.org/",
      "https://user:secret@example.org/",
      "example.org",
      `https://example.org/${"x".repeat(1000)}`,
    ].flatMap((url): [FailureCode, string, object][] => [
      ["invalid_url", `the link ${url.slice(0, 40)}`, { url }],
      ["invalid_url", `the source ${url.slice(0, 40)}`, { source_url: url }],
    ]),
  ])("fails with %s for a post with %s", async (code, _what, sent) => {
    const fields = typeof sent === "string" ? sent : { title: "A notice", body: "Of something.", ...sent };
    await fails(code, "POST /posts", fields);
  });

  it.each<[FailureCode, `${string} ${string}`]>([
    ["publisher_not_found", "GET /publishers/pub_nobody"],
    ["method_not_allowed", "GET /publishers"],
    ["not_found", "GET /nothing"],
    ["not_found", "GET /posts/a/b/c"],
    ["not_found", "GET /%E0%A4%A"],
    ...["nobodyhas1", "%00", "..%2F..%2Fetc", "a".repeat(9000), "p_1", encodeURIComponent("日本語")].map(
      (id): [FailureCode, `${string} ${string}`] => ["post_not_found", `GET /posts/${id}`],
    ),
    ...["0x10,5", "1e5,2", "Infinity,0", "5,", "1,2,3", "٥,٥"].map(
      (near): [FailureCode, `${string} ${string}`] => [
        "invalid_query",
        `GET /search?near=${encodeURIComponent(near)}`,
      ],
    ),
  ])("fails with %s for %.60s", async (code, request) => {
    await fails(code, request, undefined, null);
  });

  it("fails with post_not_found for a report of no post, or of one that was removed", async () => {
    const { id } = (await post()).body.data;
    await call(board, `DELETE /posts/${id}`, undefined, me);
    for (const post_id of ["nobodyhas1", id])
      await fails("post_not_found", "POST /reports", { post_id, reason: "spam" });
  });

  it("fails with nested_reply for a reply to a reply, and names the root", async () => {
    const root = (await post()).body.data.id;
    const reply = (await post({ parent_id: root })).body.data.id;
    const answer = await post({ parent_id: reply });
    expectFailure(answer, "nested_reply");
    expect(answer.body.error.hint).toContain(root);
  });

  it("fails with no_webhook when a subscription without a webhook asks for consent", async () => {
    await fails("no_webhook", `POST /subscriptions/${await subscribe()}/verify-webhook`);
  });

  it.each([undefined, false, "yes", 1])(
    "fails with terms_not_accepted for accept_terms %j",
    async (accepted) => {
      const sent = { name: "X", accept_terms: accepted };
      const { body } = await fails("terms_not_accepted", "POST /publishers", sent, null);
      expect(body.error.issues).toMatchObject([{ path: "accept_terms", message: "Must be true." }]);
    },
  );

  it("fails with already_registered for a publisher's own key, and says who that is", async () => {
    const me = await register(board, "Somebody");
    const before = (await call(board, "GET /publishers/me", undefined, me)).body.data;
    const answer = await call(board, "POST /publishers", { name: "Second", accept_terms: true }, me);
    expectFailure(answer, "already_registered");
    expect(answer.body.error.hint).toContain(`You already are ${me.id} "Somebody" (this key).`);
    expect((await call(board, "GET /publishers/me", undefined, me)).body.data).toEqual(before);
    expect((await call(board, "POST /publishers", { name: "Second", accept_terms: "true" })).status).toBe(
      201,
    );
  });

  it("fails with contains_api_key wherever else a text would be kept", async () => {
    const { id } = (await post()).body.data;
    const url = `https://site.example/?k=${me.key}`;
    const calls: [`${string} ${string}`, object][] = [
      ["POST /posts", { title: "Keys", body: `Use ${me.key} to write.` }],
      ["POST /posts", { ...distinctText(99), metadata: { deep: [{ note: me.key }] } }],
      ["POST /publishers/verify", { url }],
      ["POST /subscriptions", { query: { q: `bikes ${me.key}` } }],
      ["POST /subscriptions", { query: { q: "bikes" }, label: me.key.replace("_", "_\u200b") }],
      ["POST /subscriptions", { query: { q: "bikes" }, webhook_url: url }],
      [`PATCH /subscriptions/${await subscribe()}`, { label: `is${me.key}ours` }],
      [`PATCH /posts/${id}`, { url }],
      ["POST /reports", { post_id: id, reason: "other", details: `They know ${me.key}` }],
      ["POST /publishers", { name: "X", description: me.key, accept_terms: true }],
      ["POST /publishers", { name: `We are ${me.key}`, accept_terms: true }],
      ["POST /publishers", { name: "X", url, accept_terms: true }],
    ];
    for (const [request, input] of calls) await fails("contains_api_key", request, input);
    expect((await call(board, `GET /publishers/${me.id}`)).body.data.url).toBeNull();
  });

  it("fails with missing_api_key without a key, before the body is looked at", async () => {
    const { headers } = await fails("missing_api_key", "POST /posts", "{", null);
    expect(headers.get("www-authenticate")).toBe('Bearer realm="board"');
  });

  it("fails with invalid_api_key for a mistyped key, and says so", async () => {
    const mistyped = me.key.slice(0, -1) + (me.key.endsWith("a") ? "b" : "a");
    const { body } = await fails("invalid_api_key", "GET /publishers/me", undefined, { key: mistyped });
    expect(body.error.hint).toBe(
      "The key is mistyped: its checksum is wrong. Copy it again; it has 42 characters and begins with bbk_.",
    );
  });

  it("fails with invalid_api_key for a key that nobody has, and for what is none", async () => {
    const { body } = await fails("invalid_api_key", "GET /publishers/me", undefined, { key: newApiKey() });
    expect(body.error.hint).toMatch(
      /^It may be mistyped, replaced by a rotation, or its publisher erased\. Send the newest key\. .*POST \/publishers\/recover.* registers again \(POST \/publishers\)\.$/,
    );
    for (const key of ["secret", "bbk_"])
      await fails("invalid_api_key", "GET /publishers/me", undefined, { key });
  });

  it("fails with not_owner for another publisher's post", async () => {
    const { id } = (await post()).body.data;
    await fails("not_owner", `PATCH /posts/${id}`, { title: "Mine" }, other);
    await fails("not_owner", `DELETE /posts/${id}`, undefined, other);
  });

  it("fails with publisher_suspended for a suspended publisher's writes, but lets it read and erase", async () => {
    const suspended = await register(board, "Suspended");
    const written = (await post({}, { ...me, ...suspended })).body.data.id;
    const query = { query: { q: "x" } };
    const saved = (await call(board, "POST /subscriptions", query, suspended)).body.data.id;
    await board.board.services.moderation.act("suspend", suspended.id, "test", Date.now());
    await fails("publisher_suspended", "POST /posts", distinctText(98), suspended);
    const own = await call(board, "GET /publishers/me", undefined, suspended);
    expect(own.body.data.suspended).toBe(true);
    expect((await call(board, `DELETE /subscriptions/${saved}`, undefined, suspended)).status).toBe(200);
    expect((await call(board, `DELETE /posts/${written}`, undefined, suspended)).status).toBe(200);
    expect((await call(board, "DELETE /publishers/me", undefined, suspended)).status).toBe(200);
  });

  it("fails with post_hidden for everyone but the owner after enough reports", async () => {
    const { id } = (await post()).body.data;
    expect((await call(board, "POST /reports", { post_id: id, reason: "spam" })).status).toBe(201);
    await fails("post_hidden", `GET /posts/${id}`, undefined, null);
    await fails("post_hidden", `GET /posts/${id}`, undefined, other);
    const own = await call(board, `GET /posts/${id}`, undefined, me);
    expect(own.status).toBe(200);
    expect(own.body.meta.note).toContain("hidden");
  });

  it("fails with subscription_not_found for another publisher's subscription", async () => {
    const path = `/subscriptions/${await subscribe()}`;
    for (const request of [
      ...[`GET ${path}`, `PATCH ${path}`, `DELETE ${path}`, `GET ${path}/pending`, `GET ${path}/deliveries`],
      ...["verify-webhook", "test", "rotate-secret", "deliveries/1/redeliver"].map(
        (call) => `POST ${path}/${call}`,
      ),
    ])
      await fails("subscription_not_found", request as `${string} ${string}`, undefined, other);
    expect((await call(board, `GET ${path}`, undefined, me)).status).toBe(200);
  });

  it("fails with too_many_subscriptions for the 51st active subscription", async () => {
    const busy = await register(board, "Busy");
    let saved = 0;
    const subscribe = () => {
      saved += 1;
      return call(board, "POST /subscriptions", { query: { tags: `x${saved}` } }, busy);
    };
    const answers: Answer[] = [];
    // Not all 52 at once: one publisher's calls wait for each other, and a slow store gives up after 10 s.
    while (answers.length < 52) answers.push(...(await Promise.all(Array.from({ length: 13 }, subscribe))));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const answer of refused) expectFailure(answer, "too_many_subscriptions");
  });

  it("fails with body_too_large for more than 64 KiB", async () => {
    const sized = (bytes: number) => `{"title":"${"x".repeat(bytes - '{"title":""}'.length)}"}`;
    await fails("invalid_request", "POST /posts", sized(65_536));
    await fails("body_too_large", "POST /posts", sized(65_537));
    expectFailure(await post({ body: "x".repeat(66_000) }), "body_too_large");
  });

  it.each([
    ["text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a compressed body", { "content-type": "application/json", "content-encoding": "gzip" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
    ["another form of Unicode", { "content-type": "application/json; charset=utf-16" }],
  ])("fails with unsupported_media_type for %s", async (_what, headers) => {
    expectFailure(await call(board, "POST /posts", "{}", { ...me, headers }), "unsupported_media_type");
  });

  it("fails with rate_limited beyond the limit, and says when to come back", async () => {
    const limited = await startBoard({ RATE_LIMITS: "register=2/60,register_day=2/3600" });
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i += 1)
      answers.push(await call(limited, "POST /publishers", { name: "X", accept_terms: true }));
    await limited.stop();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    const last = answers[2] as Answer;
    expectFailure(last, "rate_limited");
    // The longer of two windows.
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(last.headers.get("ratelimit")).toMatch(/^"register";r=0;t=\d+/);
  });

  it("fails with duplicate_storm for the fifth near-identical post within an hour", async () => {
    const eager = await register(board, "Eager");
    // Posts that differ in numbers alone are told apart.
    const again = (n: number) =>
      post({ title: "Cheap watches here", body: `Buy our very cheap watches today${"!".repeat(n)}` }, eager);
    const answers: Answer[] = [];
    for (let n = 1; n <= 5; n += 1) answers.push(await again(n));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429]);
    expect(answers[1]?.body.meta.note).toContain(answers[0]?.body.data.id);
    expectFailure(answers[4] as Answer, "duplicate_storm");
  });

  it("fails with read_only for writes to a read-only board", async () => {
    const { id } = (await post()).body.data;
    const readOnly = await startBoard({ READ_ONLY: "on" }, { dataDir: board.dataDir });
    const answers = [
      await call(readOnly, "POST /posts", { title: "a", body: "b" }, me),
      await call(readOnly, `PATCH /posts/${id}`, { title: "a" }, me),
      await call(readOnly, `DELETE /posts/${id}`, undefined, me),
    ];
    const read = await call(readOnly, `GET /posts/${id}`, undefined, me);
    await readOnly.stop();
    for (const answer of answers) {
      expectFailure(answer, "read_only");
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    expect([read.status, read.body.meta.note]).toEqual([200, undefined]);
  });

  it.each([
    ["registration_closed", "closed"],
    ["invite_needed", "invite"],
  ] as const)("fails with %s where REGISTRATION is %s", async (code, registration) => {
    const closed = await startBoard({ REGISTRATION: registration }, { dataDir: board.dataDir });
    const answer = await call(closed, "POST /publishers", { name: "Late", accept_terms: true });
    await closed.stop();
    expectFailure(answer, code);
  });

  it("fails with precondition_failed for a change of another version", async () => {
    const { id } = (await post({ title: "A version", body: "The first." })).body.data;
    const options = { ...me, headers: { "if-match": '"another"' } };
    expectFailure(
      await call(board, `PATCH /posts/${id}`, { title: "Changed" }, options),
      "precondition_failed",
    );
  });

  it("counts a failure under the operation that was called, and knows the time of a success alone", async () => {
    const told: unknown[] = [];
    board.board.usage.listen({ answered: (...answer) => told.push(answer) });
    for (const request of ["GET /posts/nobodyhas1", "GET /nothing", "PUT /posts", "GET /board"] as const)
      await call(board, request);
    await call(board, "POST /posts", {}, me);
    await call(board, "POST /posts", {});
    await post();
    expect(told).toEqual([
      ["get_post", 404, null],
      ["unknown", 404, null],
      ["unknown", 405, null],
      ["about", 200, expect.any(Number)],
      ["create_post", 400, null],
      ["create_post", 401, null],
      ["create_post", 201, expect.any(Number)],
    ]);
  });

  it.each<[code: FailureCode, figures: string[]]>([
    ["invalid_expiry", ["at most 365 days ahead"]],
    ["too_many_subscriptions", ["at most 50 active"]],
    ["body_too_large", ["larger than 64 KiB", "at most 8,000 characters"]],
    ["duplicate_storm", ["Five near-identical posts within an hour", "until an hour has passed"]],
  ])("says of %s what is too much", (code, figures) => {
    const { message, hint } = FAILURES[code];
    for (const figure of figures) expect(`${message} ${adviceOn("rest", hint)}`).toContain(figure);
  });

  it("says what to do by calls of the surface where it is read", () => {
    const failures = Object.entries<{ hint: Advice }>(FAILURES);
    const named = (surface: Surface) =>
      failures.flatMap(([code, { hint }]) => {
        const said = adviceOn(surface, hint);
        const calls = said.match(
          /\b(?:GET|POST|PATCH|DELETE) \/[\w/{}-]+|`[a-z]+_[a-z]+`|`(?:search|subscribe)`/g,
        );
        return calls === null ? [] : [`${code}: ${calls.join(" ")}`];
      });
    expect(named("rest")).toEqual([
      "invalid_expiry: `expires_at`",
      "nested_reply: `parent_id`",
      "no_webhook: `poll_url` `webhook_url`",
      "contains_api_key: POST /publishers/me/rotate-key",
      "missing_api_key: POST /publishers",
      "invalid_api_key: POST /publishers/recover POST /publishers",
      "publisher_suspended: GET /publishers/me",
      "post_not_found: GET /search",
      "post_hidden: GET /search",
      "parent_not_found: `parent_id`",
      "subscription_not_found: GET /subscriptions",
      "duplicate_storm: PATCH /posts/{id}",
    ]);
    expect(named("tools")).toEqual([
      "invalid_expiry: `expires_at`",
      "nested_reply: `parent_id`",
      "no_webhook: `check_subscription`",
      "contains_api_key: POST /publishers/me/rotate-key",
      "missing_api_key: `register_publisher` `api_key`",
      "invalid_api_key: POST /publishers/recover `register_publisher`",
      "not_owner: `parent_id`",
      "publisher_suspended: `get_post`",
      "post_not_found: `search`",
      "post_hidden: `search`",
      "parent_not_found: `search`",
      "subscription_not_found: `check_subscription`",
      "too_many_subscriptions: `subscribe` `check_subscription`",
      "duplicate_storm: `create_post`",
    ]);
    // Where nothing is written, nobody registers.
    expect(named("reading").filter((line) => !named("tools").includes(line))).toEqual([
      "missing_api_key: `api_key`",
      "invalid_api_key: `check_subscription`",
    ]);
  });

  // Behind all tests, in whatever order they ran; where some were left out, it says nothing.
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures a hook wants
  afterAll(({}, { tasks }) => {
    if (tasks.some(({ mode }) => mode !== "run")) return;
    const missing = Object.keys(FAILURES).filter(
      (code) => !provoked.has(code) && !NOT_PROVOKED.includes(code as FailureCode),
    );
    expect(missing).toEqual([]);
  });
});
