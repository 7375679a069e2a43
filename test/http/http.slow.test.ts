import { describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { found, write } from "../support/boards/writing.ts";
import { exactRequest } from "../support/clients/exact-request.ts";

const EXPOSED = [
  ...["ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "Idempotency-Replayed"],
  ...["WWW-Authenticate", "Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "X-Request-Id"],
];

describe("http", () => {
  let now = Date.now();
  // The clock is fixed. Otherwise the board would read its counts again after some seconds, and its ETag would change.
  const board = useTestBoard({ REPORTS_TO_HIDE: "1" }, { clock: () => now });
  const me = usePublisher(board);
  const get = (path: string, headers: Record<string, string> = {}) =>
    call(board, `GET ${path}`, undefined, { headers });

  describe("ETag", () => {
    it("answers 304 without a body while a post is unchanged, and 200 after an edit", async () => {
      const { id } = await write(board, me.key);
      const first = await get(`/posts/${id}`);
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(/^W\/"[\w-]+"$/);
      const second = await get(`/posts/${id}`, { "if-none-match": etag });
      expect([second.status, second.body]).toEqual([304, ""]);
      expect(second.headers.get("etag")).toBe(etag);
      for (const named of [`"other", ${etag}`, "*"])
        expect((await get(`/posts/${id}`, { "if-none-match": named })).status).toBe(304);
      await call(board, `PATCH /posts/${id}`, { title: "Changed" }, me);
      const third = await get(`/posts/${id}`, { "if-none-match": etag });
      expect([third.status, third.body.data?.title]).toEqual([200, "Changed"]);
    });

    it("stays the same while a search finds the same posts, although each search counts retrievals", async () => {
      for (const _ of [1, 2]) await write(board, me.key, { tags: ["still"] });
      const etag = (await get("/search?tags=still")).headers.get("etag") ?? "";
      await board.flush();
      const counted = await found(board, "/search?tags=still");
      expect(counted.map(({ retrievals }) => retrievals > 0)).toEqual([true, true]);
      expect((await get("/search?tags=still", { "if-none-match": etag })).status).toBe(304);
      await write(board, me.key, { tags: ["still"] });
      expect((await get("/search?tags=still", { "if-none-match": etag })).status).toBe(200);
    });

    it("stays the same while only the counts of the board change, and changes with texts that look like them", async () => {
      const metadata = { meta: { board: { active_posts: 1 } }, note: '"retrievals":1' };
      const { id } = await write(board, me.key, { metadata });
      const first = await get(`/posts/${id}`);
      const known = { "if-none-match": first.headers.get("etag") ?? "" };
      await register(board, "Another");
      // Counts may be some seconds old, and older where counting takes long.
      const counted = async () => {
        now += 11_000;
        return (await get("/board")).body.meta.board;
      };
      await expect.poll(counted).not.toEqual(first.body.meta.board);
      expect((await get(`/posts/${id}`, known)).status).toBe(304);
      for (const change of [{ meta: { board: { active_posts: 2 } } }, { note: '"retrievals":2' }]) {
        await call(board, `PATCH /posts/${id}`, { metadata: { ...metadata, ...change } }, me);
        expect((await get(`/posts/${id}`, known)).status).toBe(200);
      }
    });

    it("is on every GET of the API, differs by caller if the answer does, and is on no failure", async () => {
      const { id } = await write(board, me.key);
      const lists = ["/board", "/search", "/posts", "/metrics"];
      const pages = ["", ".json", ".md"].map((suffix) => `${board.url}/p/${id}${suffix}`);
      for (const path of [...lists, `/posts/${id}`, `/posts/${id}/replies`, ...pages]) {
        const { headers } = await get(path);
        expect(headers.get("etag"), path).toMatch(/^W\//);
        expect(headers.get("vary"), path).toContain("Authorization");
        expect(headers.get("cache-control"), path).toBe("no-cache");
      }
      await call(board, "POST /reports", { post_id: id, reason: "spam" });
      const own = await call(board, `GET /posts/${id}`, undefined, me);
      const foreign = await get(`/posts/${id}`, { "if-none-match": own.headers.get("etag") ?? "" });
      expect(foreign.status).toBe(404);
      expect(foreign.headers.get("etag")).toBeNull();
      for (const path of ["/p/nobodyhas1", "/search?limit=x", "/nothing"]) {
        const page = await fetch(board.url + path, { headers: { accept: "text/html" } });
        expect([path, page.status >= 400, page.headers.get("etag")]).toEqual([path, true, null]);
      }
    });
  });

  it("links the next page, and no page after the last", async () => {
    for (let n = 0; n < 3; n += 1) await write(board, me.key, { tags: ["linked"] });
    const seen: string[] = [];
    let path: string | null = `${board.api}/search?tags=linked&limit=1&sort=newest`;
    while (path !== null) {
      const { headers, body }: Awaited<ReturnType<typeof call>> = await call(board, `GET ${path}`);
      seen.push(...body.data.map((post: { id: string }) => post.id));
      const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      expect(link === undefined).toBe(body.next_cursor === null);
      path = link === undefined ? null : new URL(link, path).href;
    }
    expect(new Set(seen).size).toBe(3);
  });

  it("links the next page of a query with question marks, unless the address is too long for a header", async () => {
    for (let n = 0; n < 2; n += 1) await write(board, me.key, { title: "Which bell?", tags: ["asked"] });
    // The link once ended at the second question mark, so its cursor belonged to another query.
    const { headers } = await get("/search?q=which?&tags=asked&limit=1");
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? "";
    const { status, body } = await call(board, `GET ${new URL(next, board.url).href}`);
    expect([status, body.data?.length, body.next_cursor]).toEqual([200, 1, null]);
    const long = await get(`/search?q=${encodeURIComponent(`bell ${"-ü".repeat(240)}`)}&limit=1`);
    expect([long.status, typeof long.body.next_cursor, long.headers.get("link")]).toEqual([
      ...[200, "string", null],
    ]);
  });

  it("names the calling program in the statistics by the first characters of its name", async () => {
    const agents = [
      "Claude Code/2.1",
      "claude-code/2.1",
      "Claude-User/1.0",
      "python-requests/2",
      "Python-urllib/3",
      "x",
    ];
    for (const agent of agents)
      await call(
        board,
        "POST /publishers",
        { name: "Named", accept_terms: true },
        { headers: { "user-agent": agent } },
      );
    await board.flush();
    expect((await get("/metrics")).body.data.registration_clients).toMatchObject({
      ...{ "claude-code": 2, claude: 1, "python-requests": 1, python: 1, other: 1 },
    });
  });

  describe("CORS", () => {
    it("lets every origin read, write and see the board's headers, without credentials", async () => {
      for (const path of ["/search", "/nothing", "/search?limit=x", `${board.url}/mcp`]) {
        const { headers } = await get(path, { origin: "https://agent.example" });
        expect(headers.get("access-control-allow-origin"), path).toBe("*");
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        const exposed = headers.get("access-control-expose-headers")?.split(",") ?? [];
        expect(exposed.sort()).toEqual(EXPOSED.sort());
      }
    });

    it.each([
      ...["/api/v1/posts/x", "/p/x", "/", "/feed.json", "/calendar.ics", "/llms.txt", "/openapi.json"],
      ...["/sitemap.xml", "/robots.txt", "/mcp", "/mcp/server-card", "/.well-known/api-catalog", "/nothing"],
    ])("answers preflights of %s", async (path) => {
      const response = await fetch(board.url + path, {
        method: "OPTIONS",
        headers: {
          origin: "https://agent.example",
          "access-control-request-method": "PATCH",
          "access-control-request-headers": "authorization,content-type,idempotency-key",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-allow-methods")).toContain("PATCH");
      expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
      expect(response.headers.get("access-control-max-age")).toBe("86400");
    });
  });

  it.each([
    ["PUT /search", "GET, HEAD, OPTIONS"],
    ["PUT /publishers/me", "GET, PATCH, DELETE, HEAD, OPTIONS"],
    ["GET /reports", "POST, OPTIONS"],
    ["POST /posts/abc", "GET, PATCH, DELETE, HEAD, OPTIONS"],
    ["GET /subscriptions/x/verify-webhook", "POST, OPTIONS"],
  ] as const)("answers %s with 405 and what is allowed", async (request, allowed) => {
    const { status, headers, body } = await call(board, request);
    expect(status).toBe(405);
    expect(body.error.code).toBe("method_not_allowed");
    expect(headers.get("allow")?.split(", ").sort()).toEqual(allowed.split(", ").sort());
  });

  it("sends headers that keep browsers from guessing, framing and referring, and names no framework", async () => {
    const { headers } = await get("/board");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(headers.get("x-powered-by")).toBeNull();
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  it("builds every link from SITE_URL, never from the Host header", async () => {
    const site = await startBoard({ SITE_URL: "https://board.example/" });
    const { key } = await register(site);
    const { id } = await write(site, key);
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const body = String((await exactRequest(`${site.api}/posts/${id}`, { headers })).body);
    await site.stop();
    expect(body).not.toContain("evil.example");
    const { data, meta } = JSON.parse(body);
    expect(data.url).toBe(`https://board.example/p/${id}`);
    expect(data.publisher.crier_url).toMatch(/^https:\/\/board\.example\/publishers\/pub_/);
    expect(meta).toMatchObject({ docs: "https://board.example/llms.txt", mcp: "https://board.example/mcp" });
  });

  describe("health", () => {
    it("says that the process is alive and that store and index serve", async () => {
      expect((await get(`${board.url}/healthz`)).body).toEqual({ ok: true });
      const ready = await get(`${board.url}/readyz`);
      expect(ready.status).toBe(200);
      const works = { ok: true, store: true, index: true, reading: true, writing: true };
      expect(ready.body).toEqual({ ...works, search: "local", model: "off", stopping: false });
      expect(ready.headers.get("cache-control")).toBe("no-store");
    });

    it("is ready before the model is, and says when the model is loaded", async () => {
      const loading = await startBoard({ EMBEDDINGS: "auto" });
      const first = await call(loading, `GET ${loading.url}/readyz`);
      expect(first.status).toBe(200);
      expect(["loading", "ready"]).toContain(first.body.model);
      await loading.board.embedder.settled();
      expect((await call(loading, `GET ${loading.url}/readyz`)).body.model).toBe("ready");
      await loading.stop();
    });
  });

  describe("the request log", () => {
    const linesWith = (mark: string, { logs } = board) =>
      eventually(
        async () => logs.filter((line) => line.includes(mark)),
        (lines) => lines.length > 0,
      );

    it("has 200 characters of a path", async () => {
      await get(`/posts/logmark${"x".repeat(300)}`);
      const [line] = await linesWith("logmarkx");
      expect(JSON.parse(line ?? "{}").path).toHaveLength(200);
    });

    it("has no key, no body, no query and no whole address", async () => {
      await call(board, "POST /posts", { title: "logmarktitle", body: "logmarkbody" }, me);
      await get("/search?q=logmarkquery&near=52.123,13.456");
      await call(board, "GET /publishers/me", undefined, {
        headers: { "x-api-key": `${me.key.slice(0, -1)}!` },
      });
      await get(`/publishers/${me.key}`);
      await get("/posts/logmark0002");
      await linesWith("logmark0002");
      const all = board.logs.join("\n");
      expect(all).not.toContain(me.key.slice(0, 20));
      expect(all).not.toMatch(/logmark(title|body|query)|52\.123|127\.0\.0\.1/);
    });

    it("shortens IPv6 addresses to their /48", async () => {
      const proxied = await startBoard({ TRUST_PROXY: "1" });
      await call(proxied, "GET /board", undefined, { headers: { "x-forwarded-for": "2001:db8:aa:bb::1" } });
      expect(await linesWith("2001:db8:aa::", proxied)).toHaveLength(1);
      expect(proxied.logs.join("\n")).not.toContain("bb::1");
      await proxied.stop();
    });
  });
});
