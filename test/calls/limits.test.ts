import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newApiKey } from "../../src/domain/secrets.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, eventually, register } from "../support/boards/client.ts";
import { prose, write } from "../support/boards/writing.ts";
import { startReceiver } from "../support/clients/receiver.ts";

const HOUR_MS = 3_600_000;
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const times = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));

describe("limits", () => {
  const running: TestBoard[] = [];
  const start = async (...options: Parameters<typeof startBoard>) => {
    const board = await startBoard(...options);
    running.push(board);
    return board;
  };
  const folders: string[] = [];
  /** A folder for several boards of one test, removed after them. */
  const sharedFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "board-"));
    folders.push(folder);
    return folder;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((board) => board.stop()));
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
  });
  const search = (board: TestBoard, options = {}) => call(board, "GET /search", undefined, options);
  const post = (board: TestBoard, key: string) =>
    call(board, "POST /posts", { title: "A notice", body: prose() }, { key });
  const registerAs = (board: TestBoard, options: object = {}) =>
    call(board, "POST /publishers", { name: "X", accept_terms: true }, options);

  it("are the figures of the manual, more with a key, and more for verified publishers", async () => {
    const board = await start({ RATE_LIMITS: "on" });
    const { id, key } = await register(board);
    const policyOf = async (request: `${string} ${string}`, body?: unknown, as?: string) => {
      const { headers } = await call(board, request, body, as === undefined ? {} : { key: as });
      return headers.get("ratelimit-policy");
    };
    expect(await policyOf("GET /board")).toBe('"read";q=300;w=60');
    expect(await policyOf("GET /board", undefined, key)).toBe('"read";q=1200;w=60');
    expect(await policyOf("GET /search")).toBe('"search";q=120;w=60');
    expect(await policyOf("GET /posts", undefined, key)).toBe('"search";q=600;w=60');
    expect(await policyOf("POST /posts", {}, key)).toBe('"write";q=60;w=60, "write_day";q=1000;w=86400');
    expect(await policyOf("POST /publishers", {})).toBe(
      '"register";q=30;w=3600, "register_day";q=100;w=86400',
    );
    expect(await policyOf("POST /reports", {})).toBe('"report";q=30;w=3600');
    expect(await policyOf("POST /subscriptions", {}, key)).toBe('"subscribe";q=60;w=3600');
    expect(await policyOf("POST /publishers/verify", {}, key)).toBe('"verify";q=20;w=3600');
    await board.board.store.publishers.update(id, { verifiedAt: Date.now(), verifiedVia: "dns" });
    expect(await policyOf("POST /posts", {}, key)).toBe('"write";q=600;w=60, "write_day";q=10000;w=86400');
  });

  it("count down in the RateLimit header, on failures too, and 429 says when to come back", async () => {
    const board = await start({ RATE_LIMITS: "read=4/60" });
    const answers = [];
    const began = performance.now();
    for (const path of [
      "/board",
      "/posts/nobodyhas1",
      "/publishers/pub_x",
      "/posts/nobodyhas1/replies?limit=0",
      "/board",
    ]) {
      answers.push(await call(board, `GET ${path}`));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 400, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit")?.replace(/t=\d+/, "t=…"))).toEqual([
      '"read";r=3;t=…',
      '"read";r=2;t=…',
      '"read";r=1;t=…',
      '"read";r=0;t=…',
      '"read";r=0;t=…',
    ]);
    const last = answers[4] as Answer;
    expect(last.body.error.code).toBe("rate_limited");
    // The window began with the first call.
    const secondsAgo = (performance.now() - began) / 1_000;
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThanOrEqual(60 - secondsAgo);
    expect(Number(last.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  it("are sent with refusals to a suspended publisher and by a read-only board", async () => {
    const dataDir = await sharedFolder();
    const board = await start({ RATE_LIMITS: "on" }, { dataDir });
    const readOnly = await start({ RATE_LIMITS: "on", READ_ONLY: "on" }, { dataDir });
    const { id, key } = await register(board);
    const refused = await post(readOnly, key);
    expect(refused.body.error.code).toBe("read_only");
    expect(refused.headers.get("ratelimit")).toMatch(/^"write";r=59/);
    await board.board.services.reports.moderate("suspend", id, "test", Date.now());
    const suspended = await post(board, key);
    expect(suspended.body.error.code).toBe("publisher_suspended");
    expect(suspended.headers.get("ratelimit")).toMatch(/^"write";r=58/);
  });

  it("let exactly the allowed number of 50 parallel writes through, over two instances", async () => {
    const dataDir = await sharedFolder();
    const one = await start({ RATE_LIMITS: "write=20/60" }, { dataDir });
    const two = await start({ RATE_LIMITS: "write=20/60" }, { dataDir });
    const { key } = await register(one);
    const answers = await times(50, (i) => post(i % 2 === 0 ? one : two, key));
    expect([count(answers, 201), count(answers, 429)]).toEqual([20, 30]);
  });

  it("let exactly the allowed number of 50 parallel registrations through, over two instances", async () => {
    const dataDir = await sharedFolder();
    const one = await start({ RATE_LIMITS: "register=11/60" }, { dataDir });
    const two = await start({ RATE_LIMITS: "register=11/60" }, { dataDir });
    const answers = await times(50, (i) => registerAs(i % 2 === 0 ? one : two));
    expect([count(answers, 201), count(answers, 429)]).toEqual([11, 39]);
  });

  it("let exactly the allowed number of 50 parallel searches through", async () => {
    const board = await start({ RATE_LIMITS: "search=17/60" });
    const answers = await times(50, () => search(board));
    expect([count(answers, 200), count(answers, 429)]).toEqual([17, 33]);
  });

  it("count each key by itself, apart from its address", async () => {
    const board = await start({ RATE_LIMITS: "search=1/60,write=2/60" });
    const [a, b] = [await register(board), await register(board)];
    expect(count(await times(3, () => search(board)), 200)).toBe(1);
    expect(count(await times(6, () => search(board, { key: a.key })), 200)).toBe(5);
    expect(count(await times(6, () => search(board, { key: b.key })), 200)).toBe(5);
    expect(count(await times(3, () => post(board, a.key)), 201)).toBe(2);
    expect(count(await times(3, () => post(board, b.key)), 201)).toBe(2);
  });

  it("let all unverified keys of one address do what four may, over two instances", async () => {
    const dataDir = await sharedFolder();
    const limits = { RATE_LIMITS: "write=3/60,search=1/60", TRUST_PROXY: "1" };
    const [one, two] = [await start(limits, { dataDir }), await start(limits, { dataDir })];
    const publishers = await times(15, () => register(one));
    const [another, verified] = [await register(one), await register(one)];
    const at = (i: number) => ({ key: publishers[i % 15]?.key ?? "", ...from("203.0.113.9") });
    const writing = (board: TestBoard, options: object) =>
      call(board, "POST /posts", { title: "A notice", body: prose() }, options);
    const written = await times(45, (i) => writing(i % 2 === 0 ? one : two, at(i)));
    expect([count(written, 201), count(written, 429)]).toEqual([12, 33]);
    const refused = written.find(({ status }) => status === 429);
    expect(refused?.body.error.hint).toContain("of this address");
    expect(refused?.headers.get("ratelimit")).toMatch(/^"write";r=0;/);
    expect(count(await times(75, (i) => search(one, at(i))), 200)).toBe(20);
    // From another address, and as a verified publisher of this one.
    expect((await writing(one, { key: another.key, ...from("203.0.113.8") })).status).toBe(201);
    const proof = { verifiedAt: Date.now(), verifiedVia: "dns" } as const;
    await one.board.store.publishers.update(verified.id, proof);
    expect((await writing(one, { key: verified.key, ...from("203.0.113.9") })).status).toBe(201);
  });

  it("take nothing from the neighbours of a key that is refused", async () => {
    const board = await start({ RATE_LIMITS: "write=2/60" });
    const [a, b] = [await register(board), await register(board)];
    expect(count(await times(20, () => post(board, a.key)), 201)).toBe(2);
    expect(count(await times(3, () => post(board, b.key)), 201)).toBe(2);
  });

  it("count registrations by address, whatever key is sent along", async () => {
    const board = await start({ RATE_LIMITS: "register=3/60" });
    const { key } = await register(board);
    const answers = [await registerAs(board, { key }), await registerAs(board, { key })];
    answers.push(await registerAs(board, { key: answers[0]?.body.data.api_key }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
  });

  it("start over when their window has ended", async () => {
    let now = Date.UTC(2026, 10, 20, 12);
    const board = await start({ RATE_LIMITS: "write=2/3600" }, { clock: () => now });
    const { key } = await register(board);
    expect(count(await times(4, () => post(board, key)), 201)).toBe(2);
    now += HOUR_MS - 1;
    expect((await post(board, key)).status).toBe(429);
    now += 1;
    expect((await post(board, key)).status).toBe(201);
  });

  it("never ask for more than a window of patience when the clock was set back", async () => {
    let now = Date.UTC(2026, 10, 20, 12);
    const board = await start({ RATE_LIMITS: "write=1/60" }, { clock: () => now });
    const { key } = await register(board);
    now += 24 * HOUR_MS;
    await post(board, key);
    now -= 24 * HOUR_MS;
    const refused = await post(board, key);
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 60]);
    now += 60_000;
    expect((await post(board, key)).status).toBe(201);
  });

  it("ignore X-Forwarded-For where no proxy is trusted", async () => {
    const board = await start({ RATE_LIMITS: "search=2/60" });
    const answers = [];
    for (let n = 1; n <= 4; n += 1) answers.push(await search(board, from(`203.0.113.${n}`)));
    expect(count(answers, 200)).toBe(2);
  });

  it("take the address that the trusted proxy saw, not one that a client put before it", async () => {
    const board = await start({ RATE_LIMITS: "search=2/60", TRUST_PROXY: "1" });
    const spoofed = [];
    for (let n = 1; n <= 4; n += 1) spoofed.push(await search(board, from(`198.51.100.${n}, 203.0.113.7`)));
    expect(count(spoofed, 200)).toBe(2);
    expect((await search(board, from("203.0.113.8"))).status).toBe(200);
  });

  it("trust listed proxies only", async () => {
    const trusting = await start({ RATE_LIMITS: "search=1/60", TRUST_PROXY: "127.0.0.0/8, 10.0.0.0/8" });
    expect((await search(trusting, from("203.0.113.1, 10.1.2.3"))).status).toBe(200);
    expect((await search(trusting, from("203.0.113.1"))).status).toBe(429);
    const wary = await start({ RATE_LIMITS: "search=1/60", TRUST_PROXY: "10.0.0.0/8" });
    expect((await search(wary, from("203.0.113.1"))).status).toBe(200);
    expect((await search(wary, from("203.0.113.2"))).status).toBe(429);
  });

  it("count IPv6 by /64, and an IPv4 address the same however it is written", async () => {
    const board = await start({ RATE_LIMITS: "search=2/60", TRUST_PROXY: "1" });
    const network = ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "2001:db8:1:2:abcd:1:2:3"];
    expect(count(await times(3, (i) => search(board, from(network[i] ?? ""))), 200)).toBe(2);
    expect((await search(board, from("2001:db8:1:3::1"))).status).toBe(200);
    const mapped = ["203.0.113.9", "::ffff:203.0.113.9", "64:ff9b::203.0.113.9", "64:ff9b::cb00:7109"];
    expect(count(await times(4, (i) => search(board, from(mapped[i] ?? ""))), 200)).toBe(2);
    expect((await search(board, from("64:ff9b::203.0.113.8"))).status).toBe(200);
  });

  it("ignore a port that a proxy appends to an address, and count all text that is not an address as one", async () => {
    const board = await start({ RATE_LIMITS: "search=2/60", TRUST_PROXY: "1" });
    for (const address of [
      "203.0.113.9:PORT",
      "[2001:db8:1:2::1]:PORT",
      "[2001:db8:1:3::1]",
      "unknownPORT",
    ]) {
      const answers = await times(4, (i) => search(board, from(address.replace("PORT", String(50_000 + i)))));
      expect([address, count(answers, 200)]).toEqual([address, 2]);
    }
  });

  it("count registrations by /48 as well", async () => {
    const board = await start({ RATE_LIMITS: "register_net=3/60", TRUST_PROXY: "1" });
    const answers = await times(5, (i) => registerAs(board, from(`2001:db8:5:${i}::1`)));
    expect([count(answers, 201), count(answers, 429)]).toEqual([3, 2]);
    expect((await registerAs(board, from("2001:db8:6:1::1"))).status).toBe(201);
    expect(count(await times(5, (i) => registerAs(board, from(`203.0.113.${i}`))), 201)).toBe(5);
  });

  describe("of wrong keys", () => {
    const mistyped = `bbk_${"0".repeat(38)}`;
    const me = (board: TestBoard, key: string) => call(board, "GET /publishers/me", undefined, { key });

    it("answer 30 a minute from one address, even when all come at once, and never lock out a right key", async () => {
      const board = await start({ RATE_LIMITS: "on" });
      const { key } = await register(board);
      // Half of them have a valid checksum, so only the store can refuse them.
      const answers = await times(50, (i) => me(board, i % 2 === 0 ? mistyped : newApiKey()));
      expect([count(answers, 401), count(answers, 429)]).toEqual([30, 20]);
      const wrong = await me(board, mistyped);
      expect(wrong.body.error.code).toBe("rate_limited");
      expect(wrong.body.error.hint).toContain("wrong API keys");
      expect(Number(wrong.headers.get("retry-after"))).toBeGreaterThan(0);
      // The colleague in the same office.
      expect((await me(board, key)).status).toBe(200);
      expect((await post(board, key)).status).toBe(201);
      expect((await search(board)).status).toBe(200);
    });

    it("can be configured, and spare other addresses", async () => {
      const board = await start({ RATE_LIMITS: "failed_keys=3/60", TRUST_PROXY: "1" });
      const { key } = await register(board);
      const answers = [];
      for (let n = 0; n < 5; n += 1)
        answers.push(
          await call(board, "GET /publishers/me", undefined, { key: mistyped, ...from("203.0.113.1") }),
        );
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
      expect(
        (await call(board, "GET /publishers/me", undefined, { key, ...from("203.0.113.2") })).status,
      ).toBe(200);
    });
  });

  it("count the manual, the OpenAPI document, discovery and MCP's handshake as reads", async () => {
    const board = await start({ RATE_LIMITS: "read=3/60", TRUST_PROXY: "1" });
    const { key } = await register(board);
    const rpc = (method: string) => (headers: Record<string, string>) =>
      call(board, `POST ${board.url}/mcp`, { jsonrpc: "2.0", id: 1, method, params: HANDSHAKE }, { headers });
    const asked = [
      ...["/llms.txt", "/openapi.json", "/llms-full.txt", "/robots.txt", "/.well-known/api-catalog"].map(
        (path) => (headers: Record<string, string>) =>
          call(board, `GET ${board.url}${path}`, undefined, { headers }),
      ),
      rpc("initialize"),
      rpc("tools/list"),
    ];
    for (const [n, ask] of asked.entries()) {
      const headers = {
        "x-forwarded-for": `203.0.113.${n}`,
        accept: "application/json, text/event-stream",
      };
      const answers = [];
      for (let i = 0; i < 4; i += 1) answers.push((await ask(headers)).status);
      expect(answers, String(n)).toEqual([200, 200, 200, 429]);
      // With a key of its own, a caller counts for itself.
      expect((await ask({ ...headers, authorization: `Bearer ${key}` })).status).not.toBe(500);
    }
  });

  it("tell a caller with a key when few calls are left", async () => {
    const board = await start({ RATE_LIMITS: "write=10/60" });
    const { key } = await register(board);
    const notes = [];
    for (let n = 0; n < 10; n += 1) notes.push((await post(board, key)).body.meta.note);
    expect(notes.slice(0, 8).join("")).not.toContain("limit");
    expect(notes[8]).toContain("1 of 10 `write` calls are left");
    expect(notes[9]).toContain("0 of 10 `write` calls are left");
  });

  it("can be off, without headers; a storm of duplicates is still refused", async () => {
    const board = await start({ RATE_LIMITS: "off" });
    const { key } = await register(board);
    const answers = [];
    for (let n = 0; n < 5; n += 1) {
      answers.push(
        await call(
          board,
          "POST /posts",
          { title: "Very cheap watches", body: "Buy our watches today." },
          { key },
        ),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429]);
    expect(answers[4]?.body.error.code).toBe("duplicate_storm");
    expect(Number(answers[4]?.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(answers[0]?.headers.get("ratelimit")).toBeNull();
  });

  it("count near-identical posts where they are written: of 20 one after another, four pass", async () => {
    const board = await start({ RATE_LIMITS: "off" });
    const { key } = await register(board);
    const post = () =>
      call(board, "POST /posts", { title: "Very cheap watches", body: "Buy our watches today." }, { key });
    // At once as well where the store writes one after another; MongoDB's guard is as old as the posts it has read.
    const answers =
      process.env["TEST_STORE"] === "mongodb" ? [] : await Promise.all(Array.from({ length: 20 }, post));
    while (answers.length < 20) answers.push(await post());
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(new Set(["duplicate_storm"]));
  });

  it("let the same text through after an hour, and other text at any time", async () => {
    let now = Date.UTC(2026, 10, 20, 12);
    const board = await start({}, { clock: () => now });
    const { key } = await register(board);
    const same = () =>
      call(board, "POST /posts", { title: "Very cheap watches", body: "Buy our watches today." }, { key });
    for (let n = 0; n < 4; n += 1) await same();
    expect((await same()).body.error.code).toBe("duplicate_storm");
    await write(board, key);
    now += HOUR_MS;
    expect((await same()).status).toBe(201);
  });

  it("ask a webhook for consent 10 times an hour per subscription and 30 times per host", async () => {
    const receiver = await startReceiver(() => ({ body: "no" }));
    const board = await start({ RATE_LIMITS: "on", WEBHOOK_ALLOW: "127.0.0.1" });
    const publishers = [await register(board), await register(board)];
    const subscribe = async (key: string) =>
      (await call(board, "POST /subscriptions", { query: { q: "x" }, webhook_url: receiver.url }, { key }))
        .body.data.id;
    const verify = (id: string, key: string) =>
      call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    const [first, second] = publishers.map(({ key }) => key) as [string, string];
    const id = await subscribe(first);
    await eventually(
      async () => receiver.received.length,
      (asked) => asked === 1,
    );
    const answers = await times(15, () => verify(id, first));
    expect([count(answers, 202), count(answers, 429)]).toEqual([9, 6]);
    expect(receiver.received).toHaveLength(10);
    for (let n = 0; n < 3; n += 1) {
      const another = await subscribe(second);
      await times(9, () => verify(another, second));
    }
    // The first question to each comes after the answer to its creation.
    await eventually(
      async () => receiver.received.length,
      (asked) => asked >= 30,
    );
    expect(receiver.received).toHaveLength(30);
    await receiver.stop();
  });
});

describe("RateLimit headers", () => {
  it.each([
    ["GET /publishers/me", 401],
    ["GET /posts/nobodyhas1", 404],
    ["GET /nothing/here", 404],
    ["PUT /posts", 405],
    ["GET /search?limit=0", 400],
    ["GET /board", 200],
  ] as const)("come with every answer of the API: %s → %i", async (request, status) => {
    const board = await startBoard({ RATE_LIMITS: "on" });
    const answer = await call(board, request);
    await board.stop();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("ratelimit-policy")).toMatch(/^"\w+";q=\d+;w=\d+/);
    expect(answer.headers.get("ratelimit")).toMatch(/^"\w+";r=\d+;t=\d+/);
  });
});
