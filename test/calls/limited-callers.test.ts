import { describe, expect, it } from "vitest";
import { newApiKey } from "../../src/domain/secrets.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { prose } from "../support/boards/writing.ts";

const MISTYPED = `bbk_${"0".repeat(38)}`;
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
const times = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const search = (board: TestBoard, options = {}) => call(board, "GET /search", undefined, options);
const me = (board: TestBoard, options: object) => call(board, "GET /publishers/me", undefined, options);

describe("the limits of the manual", () => {
  const board = useTestBoard({ RATE_LIMITS: "on", TRUST_PROXY: "1" });

  it("are more with a key, and more for verified publishers", async () => {
    const { id, key } = await register(board);
    const policyOf = async (request: `${string} ${string}`, body?: unknown, as?: { key: string }) =>
      (await call(board, request, body, as)).headers.get("ratelimit-policy");
    expect(await policyOf("GET /board")).toBe('"read";q=300;w=60');
    expect(await policyOf("GET /board", undefined, { key })).toBe('"read";q=1200;w=60');
    expect(await policyOf(`GET ${board.url}/llms.txt`, undefined, { key })).toBe('"read";q=1200;w=60');
    expect(await policyOf("GET /search")).toBe('"search";q=120;w=60');
    expect(await policyOf("GET /posts", undefined, { key })).toBe('"search";q=600;w=60');
    expect(await policyOf("POST /posts", {}, { key })).toBe('"write";q=60;w=60, "write_day";q=1000;w=86400');
    expect(await policyOf("POST /publishers", {})).toBe(
      '"register";q=30;w=3600, "register_day";q=100;w=86400',
    );
    const v6 = await call(board, "POST /publishers", {}, from("2001:db8:77::1"));
    expect(v6.headers.get("ratelimit-policy")).toMatch(/, "register_net";q=300;w=86400$/);
    expect(await policyOf("POST /reports", {})).toBe('"report";q=30;w=3600');
    expect(await policyOf("POST /subscriptions", {}, { key })).toBe('"subscribe";q=60;w=3600');
    expect(await policyOf("POST /publishers/verify", {}, { key })).toBe('"verify";q=20;w=3600');
    expect(await policyOf("POST /publishers/recover", {})).toBe('"verify";q=20;w=3600');
    await board.board.store.publishers.update(id, { verifiedAt: Date.now(), verifiedVia: "dns" });
    expect(await policyOf("POST /posts", {}, { key })).toBe(
      '"write";q=600;w=60, "write_day";q=10000;w=86400',
    );
  });

  it.each([
    ["GET /publishers/me", 401],
    ["GET /posts/nobodyhas1", 404],
    ["GET /nothing/here", 404],
    ["PUT /posts", 405],
    ["GET /search?limit=0", 400],
    ["GET /board", 200],
  ] as const)("come with every answer of the API: %s → %i", async (request, expected) => {
    const { status, headers } = await call(board, request);
    expect(status).toBe(expected);
    expect(headers.get("ratelimit-policy")).toMatch(/^"\w+";q=\d+;w=\d+/);
    expect(headers.get("ratelimit")).toMatch(/^"\w+";r=\d+;t=\d+/);
  });

  it("let wrong keys answer 30 a minute from one address, even when all come at once, and never lock out a right key", async () => {
    const { key } = await register(board);
    const office = from("203.0.113.50");
    const began = performance.now();
    // Half of them have a valid checksum, so only the store can refuse them.
    const answers = await times(50, (i) =>
      me(board, { key: i % 2 === 0 ? MISTYPED : newApiKey(), ...office }),
    );
    expect([count(answers, 401), count(answers, 429)]).toEqual([30, 20]);
    const wrong = await me(board, { key: MISTYPED, ...office });
    expect(wrong.body.error).toMatchObject({
      code: "rate_limited",
      hint: expect.stringContaining("wrong API keys"),
    });
    const retryAfter = Number(wrong.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(60 - (performance.now() - began) / 1_000);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // A colleague at the same address, and somebody elsewhere.
    expect((await me(board, { key, ...office })).status).toBe(200);
    expect((await search(board, office)).status).toBe(200);
    expect((await me(board, { key: MISTYPED, ...from("203.0.113.51") })).status).toBe(401);
  });
});

describe("limits behind a proxy", () => {
  const board = useTestBoard({ RATE_LIMITS: "search=2/60,read=3/60,write=10/60", TRUST_PROXY: "1" });

  it("let exactly the allowed number of 50 parallel searches through", async () => {
    const answers = await times(50, () => search(board, from("198.51.100.1")));
    expect([count(answers, 200), count(answers, 429)]).toEqual([2, 48]);
  });

  it("count down in the RateLimit header, on failures too, and 429 says when to come back", async () => {
    const answers = [];
    const began = performance.now();
    for (const path of ["/posts/nobodyhas1/replies?limit=0", "/posts/nobodyhas1", "/board", "/board"])
      answers.push(await call(board, `GET ${path}`, undefined, from("198.51.100.2")));
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 200, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit")?.replace(/t=\d+/, "t=…"))).toEqual(
      [2, 1, 0, 0].map((left) => `"read";r=${left};t=…`),
    );
    expect(answers[3]?.body.error.code).toBe("rate_limited");
    // Only who has a key is told in words.
    expect(answers.map(({ body }) => body.meta.note)).toEqual(Array(4).fill(undefined));
    // The window began with the first call.
    const retryAfter = Number(answers[3]?.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(60 - (performance.now() - began) / 1_000);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  it("take the address that the trusted proxy saw, not one that a client put before it", async () => {
    const spoofed = [];
    for (let n = 1; n <= 4; n += 1) spoofed.push(await search(board, from(`198.51.100.${n}, 203.0.113.7`)));
    expect(count(spoofed, 200)).toBe(2);
    expect((await search(board, from("203.0.113.8"))).status).toBe(200);
  });

  it("count IPv6 by /64, and an IPv4 address the same however it is written", async () => {
    const network = ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "2001:db8:1:2:abcd:1:2:3"];
    expect(count(await times(3, (i) => search(board, from(network[i] ?? ""))), 200)).toBe(2);
    expect((await search(board, from("2001:db8:1:3::1"))).status).toBe(200);
    const mapped = ["203.0.113.9", "::ffff:203.0.113.9", "64:ff9b::203.0.113.9", "64:ff9b::cb00:7109"];
    expect(count(await times(4, (i) => search(board, from(mapped[i] ?? ""))), 200)).toBe(2);
    expect((await search(board, from("64:ff9b::203.0.113.10"))).status).toBe(200);
  });

  it.each(["203.0.113.11:PORT", "[2001:db8:1:4::1]:PORT", "[2001:db8:1:5::1]", "unknownPORT"])(
    "ignore a port that a proxy appends to an address, and count all text that is not an address as one: %s",
    async (address) => {
      const answers = await times(4, (i) => search(board, from(address.replace("PORT", String(50_000 + i)))));
      expect(count(answers, 200)).toBe(2);
    },
  );

  it("tell a caller with a key when few calls are left", async () => {
    const { key } = await register(board);
    const notes: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const post = { title: "A notice", body: prose() };
      notes.push((await call(board, "POST /posts", post, { key })).body.meta.note);
    }
    expect(notes.slice(0, 8).join("")).not.toContain("limit");
    expect(notes[8]).toMatch(/^Nearly at a limit: 1 of 10 `write` calls are left for \d+ s\./);
    expect(notes[9]).toMatch(/^Nearly at a limit: 0 of 10 `write` calls are left for \d+ s\./);
  });
});

describe("X-Forwarded-For", () => {
  const on = async (proxy: string, forwarded: readonly string[]) => {
    const board = await startBoard({ RATE_LIMITS: "search=1/60", TRUST_PROXY: proxy }, { idle: true });
    const statuses = [];
    for (const address of forwarded) statuses.push((await search(board, from(address))).status);
    await board.stop();
    return statuses;
  };

  it("counts for nothing: limits ignore X-Forwarded-For where no proxy is trusted", async () => {
    expect(await on("off", ["203.0.113.1", "203.0.113.2"])).toEqual([200, 429]);
  });

  it("counts where a listed proxy sends it", async () => {
    const listed = "127.0.0.0/8, 10.0.0.0/8";
    expect(await on(listed, ["203.0.113.1, 10.1.2.3", "203.0.113.1", "203.0.113.2"])).toEqual([
      200, 429, 200,
    ]);
    expect(await on("10.0.0.0/8", ["203.0.113.1", "203.0.113.2"])).toEqual([200, 429]);
  });
});
