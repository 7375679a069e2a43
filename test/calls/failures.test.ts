import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAILURES, type FailureCode } from "../../src/failures.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, register } from "../support/boards/client.ts";
import { distinctText } from "../support/texts/texts.ts";

const NOT_PROVOKED: readonly FailureCode[] = [
  // Needs a broken program; envelope.test.ts tests its envelope.
  "internal",
  // Needs a broken database or a thousand calls at once; see broken-machine.test.ts.
  "store_unavailable",
  "overloaded",
];
const provoked = new Set<string>();

/** Checks an answer against the table of failures and the envelope. */
function expectFailure({ status, body, headers }: Answer, code: FailureCode): void {
  expect(body.error?.code).toBe(code);
  expect(status).toBe(FAILURES[code].status);
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

describe("failures", () => {
  let board: TestBoard;
  let key: string;
  let publisherId: string;
  let otherKey: string;
  let dataDir: string;
  let count = 0;
  const post = (fields: object = {}, as: string = key) => {
    count += 1;
    return call(board, "POST /posts", { ...distinctText(count), ...fields }, { key: as });
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "board-"));
    board = await startBoard({ REPORTS_TO_HIDE: "1" }, { dataDir });
    ({ id: publisherId, key } = await register(board));
    ({ key: otherKey } = await register(board, "Other"));
  });
  afterAll(async () => {
    await board.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("fails with invalid_request for a body with several problems, and names them all", async () => {
    const answer = await call(
      board,
      "POST /posts",
      { title: 5, kind: "poem", tags: ["a", ""], location: { lat: 91, lng: "east" }, starts_at: "soon" },
      { key },
    );
    expectFailure(answer, "invalid_request");
    const issues: { path: string; code: string }[] = answer.body.error.issues;
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

  it("fails with invalid_request for a parent_id in an edit", async () => {
    const { body } = await post();
    expectFailure(
      await call(board, `PATCH /posts/${body.data.id}`, { parent_id: body.data.id }, { key }),
      "invalid_request",
    );
  });

  it("fails with invalid_query for parameters out of range", async () => {
    const answer = await call(board, "GET /search?limit=101&near=91,0&kind=poem&after=yesterday");
    expectFailure(answer, "invalid_query");
    expect(
      answer.body.error.issues.map((issue: { path: string }) => issue.path.split(".")[0]).sort(),
    ).toEqual(["after", "kind", "limit", "near"]);
  });

  it("fails with invalid_json for bytes that are not UTF-8, and over MCP with its code", async () => {
    const body = Buffer.from('{"title":"Café","body":"Open."}', "latin1");
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const answer = await fetch(`${board.api}/posts`, { method: "POST", headers, body });
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([400, "invalid_json"]);
    const overMcp = await fetch(`${board.url}/mcp`, { method: "POST", headers, body });
    expect(await overMcp.json()).toMatchObject({ error: { code: -32700 } });
  });

  it.each(["{", '{"title": }', "nul", "\u0000"])("fails with invalid_json for %j", async (body) => {
    expectFailure(await call(board, "POST /posts", body, { key }), "invalid_json");
  });

  it("fails with invalid_cursor for a damaged cursor, one of another query and one of another list", async () => {
    for (let i = 0; i < 3; i += 1) await post({ tags: ["cursor"] });
    const first = await call(board, "GET /search?tags=cursor&limit=1");
    const cursor: string = first.body.next_cursor;
    expect(cursor).toEqual(expect.any(String));
    const damaged = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
    expectFailure(await call(board, `GET /search?tags=cursor&cursor=${damaged}`), "invalid_cursor");
    expectFailure(await call(board, `GET /search?tags=other&cursor=${cursor}`), "invalid_cursor");
    expectFailure(
      await call(board, `GET /posts/${first.body.data[0].id}/replies?cursor=${cursor}`),
      "invalid_cursor",
    );
  });

  it.each([
    ["in the past", () => new Date(Date.now() - 1000).toISOString()],
    ["more than 365 days ahead", () => new Date(Date.now() + 366 * 86_400_000).toISOString()],
  ])("fails with invalid_expiry for one %s", async (_what, when) => {
    expectFailure(await post({ expires_at: when() }), "invalid_expiry");
  });

  it("fails with invalid_window for an end before the start", async () => {
    const window = { starts_at: "2030-01-02T00:00:00Z", ends_at: "2030-01-01T00:00:00Z" };
    expectFailure(await post(window), "invalid_window");
  });

  it.each([
    "javascript:alert(1)",
    "ftp://example.org/",
    "https://user:secret@example.org/",
    "example.org",
    `https://example.org/${"x".repeat(1000)}`,
  ])("fails with invalid_url for a post's link or source %.40s", async (url) => {
    expectFailure(await post({ url }), "invalid_url");
    expectFailure(await post({ source_url: url }), "invalid_url");
  });

  it.each([
    "http://example.org/hook",
    "https://127.0.0.1/hook",
    "https://[::1]/hook",
    "https://2130706433/hook",
    "https://169.254.169.254/latest/meta-data",
    "https://example.org:8443/hook",
  ])("fails with invalid_url for a webhook at %s", async (url) => {
    expectFailure(
      await call(board, "POST /subscriptions", { query: { q: "piano" }, webhook_url: url }, { key }),
      "invalid_url",
    );
  });

  it("fails with nested_reply for a reply to a reply, and names the root", async () => {
    const root = (await post()).body.data.id;
    const reply = (await post({ parent_id: root })).body.data.id;
    const answer = await post({ parent_id: reply });
    expectFailure(answer, "nested_reply");
    expect(answer.body.error.hint).toContain(root);
  });

  it("fails with no_webhook when a subscription without a webhook asks for consent", async () => {
    const { body } = await call(board, "POST /subscriptions", { query: { q: "piano" } }, { key });
    expectFailure(
      await call(board, `POST /subscriptions/${body.data.id}/verify-webhook`, undefined, { key }),
      "no_webhook",
    );
  });

  it.each([undefined, false, "true", 1])(
    "fails with terms_not_accepted for accept_terms %j",
    async (accepted) => {
      expectFailure(
        await call(board, "POST /publishers", { name: "X", accept_terms: accepted }),
        "terms_not_accepted",
      );
    },
  );

  it("fails with contains_api_key for a post that contains a key, in its text or metadata", async () => {
    expectFailure(await post({ body: `Use ${key} to write.` }), "contains_api_key");
    expectFailure(await post({ metadata: { deep: [{ note: key }] } }), "contains_api_key");
  });

  it("fails with contains_api_key wherever else a text would be kept", async () => {
    const { id } = (await post()).body.data;
    const url = `https://site.example/?k=${key}`;
    const { body } = await call(board, "POST /subscriptions", { query: { q: "x" } }, { key });
    const calls: [`${string} ${string}`, object][] = [
      ["POST /publishers/verify", { url }],
      ["POST /subscriptions", { query: { q: `bikes ${key}` } }],
      ["POST /subscriptions", { query: { q: "bikes" }, label: key.replace("_", "_\u200b") }],
      ["POST /subscriptions", { query: { q: "bikes" }, webhook_url: url }],
      [`PATCH /subscriptions/${body.data.id}`, { label: `is${key}ours` }],
      [`PATCH /posts/${id}`, { url }],
      ["POST /reports", { post_id: id, reason: "other", details: `They know ${key}` }],
      ["POST /publishers", { name: "X", description: key, accept_terms: true }],
    ];
    for (const [request, input] of calls) {
      expectFailure(await call(board, request, input, { key }), "contains_api_key");
    }
    expect((await call(board, `GET /publishers/${publisherId}`)).body.data.url).toBeNull();
  });

  it("fails with missing_api_key without a key, before the body is looked at", async () => {
    const answer = await call(board, "POST /posts", "{");
    expectFailure(answer, "missing_api_key");
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("fails with invalid_api_key for a mistyped key, an unknown one and a rotated one", async () => {
    const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    const answer = await call(board, "GET /publishers/me", undefined, { key: mistyped });
    expectFailure(answer, "invalid_api_key");
    expect(answer.body.error.hint).toContain("its checksum is wrong");
    const { key: first } = await register(board, "Rotating");
    const rotated = await call(board, "POST /publishers/me/rotate-key", undefined, { key: first });
    expect(rotated.status).toBe(200);
    expectFailure(await call(board, "GET /publishers/me", undefined, { key: first }), "invalid_api_key");
    expect(
      (await call(board, "GET /publishers/me", undefined, { key: rotated.body.data.api_key })).status,
    ).toBe(200);
  });

  it("fails with not_owner for another publisher's post, after checking that it exists", async () => {
    const { body } = await post();
    expectFailure(
      await call(board, `PATCH /posts/${body.data.id}`, { title: "Mine" }, { key: otherKey }),
      "not_owner",
    );
    expectFailure(
      await call(board, `DELETE /posts/${body.data.id}`, undefined, { key: otherKey }),
      "not_owner",
    );
    expectFailure(
      await call(board, "PATCH /posts/nobodyhas1", { title: "Mine" }, { key: otherKey }),
      "post_not_found",
    );
  });

  it("fails with publisher_suspended for a suspended publisher's writes, but lets it read and erase", async () => {
    const { id, key: suspended } = await register(board, "Suspended");
    await board.board.services.reports.moderate("suspend", id, "test", Date.now());
    expectFailure(await post({}, suspended), "publisher_suspended");
    expect((await call(board, "GET /publishers/me", undefined, { key: suspended })).body.data.suspended).toBe(
      true,
    );
    expect((await call(board, "DELETE /publishers/me", undefined, { key: suspended })).status).toBe(200);
  });

  it.each(["/nothing", "/posts/a/b/c", "/publishers", "/%E0%A4%A"])(
    "fails with not_found for GET %s",
    async (path) => {
      const answer = await call(board, `GET ${path}`);
      expectFailure(answer, path === "/publishers" ? "method_not_allowed" : "not_found");
    },
  );

  it("fails with post_not_found for unknown ids of any form", async () => {
    for (const id of [
      "nobodyhas1",
      "%00",
      "..%2F..%2Fetc",
      "a".repeat(9000),
      "p_1",
      encodeURIComponent("日本語"),
    ]) {
      expectFailure(await call(board, `GET /posts/${id}`), "post_not_found");
    }
  });

  it("fails with post_hidden for everyone but the owner after enough reports", async () => {
    const { body } = await post();
    const { id } = body.data;
    expect((await call(board, "POST /reports", { post_id: id, reason: "spam" })).status).toBe(201);
    expectFailure(await call(board, `GET /posts/${id}`), "post_hidden");
    expectFailure(await call(board, `GET /posts/${id}`, undefined, { key: otherKey }), "post_hidden");
    const own = await call(board, `GET /posts/${id}`, undefined, { key });
    expect(own.status).toBe(200);
    expect(own.body.meta.note).toContain("hidden");
  });

  it("fails with parent_not_found for a reply to nothing", async () => {
    expectFailure(await post({ parent_id: "nobodyhas1" }), "parent_not_found");
  });

  it("fails with publisher_not_found for an unknown id", async () => {
    expectFailure(await call(board, "GET /publishers/pub_nobody"), "publisher_not_found");
  });

  it("fails with subscription_not_found for another publisher's subscription", async () => {
    const { body } = await call(board, "POST /subscriptions", { query: { q: "piano" } }, { key });
    const { id } = body.data;
    for (const request of [
      `GET /subscriptions/${id}`,
      `DELETE /subscriptions/${id}`,
      `GET /subscriptions/${id}/pending`,
    ] as const) {
      expectFailure(await call(board, request, undefined, { key: otherKey }), "subscription_not_found");
    }
  });

  it("fails with method_not_allowed for another method, and says which are allowed", async () => {
    const answer = await call(board, "PUT /posts", {});
    expectFailure(answer, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });

  it("fails with too_many_subscriptions for the 51st active subscription", async () => {
    const { key: busy } = await register(board, "Busy");
    const subscribe = () => call(board, "POST /subscriptions", { query: { tags: "x" } }, { key: busy });
    const answers: Answer[] = [];
    // Not all 52 at once: one publisher's calls wait for each other, and a slow store gives up after 10 s.
    while (answers.length < 52) answers.push(...(await Promise.all(Array.from({ length: 13 }, subscribe))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.find(({ status }) => status !== 201);
    expectFailure(refused as Answer, "too_many_subscriptions");
  });

  it("fails with body_too_large for more than 64 KiB", async () => {
    expectFailure(await post({ body: "x".repeat(66_000) }), "body_too_large");
  });

  it.each([
    ["text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a compressed body", { "content-type": "application/json", "content-encoding": "gzip" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
    ["another form of Unicode", { "content-type": "application/json; charset=utf-16" }],
  ])("fails with unsupported_media_type for %s", async (_what, headers) => {
    expectFailure(await call(board, "POST /posts", "{}", { key, headers }), "unsupported_media_type");
  });

  it("fails with rate_limited beyond the limit, and says when to come back", async () => {
    const limited = await startBoard({ RATE_LIMITS: "register=2/60" });
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i += 1)
      answers.push(await call(limited, "POST /publishers", { name: "X", accept_terms: true }));
    await limited.stop();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    const last = answers[2] as Answer;
    expectFailure(last, "rate_limited");
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(last.headers.get("ratelimit")).toMatch(/^"register";r=0;t=\d+/);
  });

  it.each(["0x10,5", "1e5,2", "Infinity,0", "5,", "1,2,3", "٥,٥"])(
    "fails with invalid_query for near=%s",
    async (near) => {
      const answer = await call(board, `GET /search?near=${encodeURIComponent(near)}`);
      expectFailure(answer, "invalid_query");
      expect(answer.body.error.issues[0].path).toBe("near");
    },
  );

  it("fails with duplicate_storm for the fifth near-identical post within an hour", async () => {
    const { key: eager } = await register(board, "Eager");
    // Posts that differ in numbers alone are told apart.
    const again = (n: number) =>
      post({ title: "Cheap watches here", body: `Buy our very cheap watches today${"!".repeat(n)}` }, eager);
    const answers: Answer[] = [];
    for (let n = 1; n <= 5; n += 1) answers.push(await again(n));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429]);
    expect(answers[1]?.body.meta.note).toContain(answers[0]?.body.data.id);
    expectFailure(answers[4] as Answer, "duplicate_storm");
  });

  it("fails with read_only for writes to a read-only board, and answers reads", async () => {
    const readOnly = await startBoard({ READ_ONLY: "on" }, { dataDir });
    const answer = await call(readOnly, "POST /posts", { title: "a", body: "b" }, { key });
    const read = await call(readOnly, `GET /publishers/${publisherId}`);
    await readOnly.stop();
    expectFailure(answer, "read_only");
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(read.status).toBe(200);
  });

  it("provokes every failure of the table except those that need a broken machine", () => {
    const missing = Object.keys(FAILURES).filter(
      (code) => !provoked.has(code) && !NOT_PROVOKED.includes(code as FailureCode),
    );
    expect(missing).toEqual([]);
  });
});
