import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { titles, write } from "../support/boards/writing.ts";

/** What clients, languages and servers in between write otherwise than the manual. */
describe("other forms of a request", () => {
  let publisher: { id: string; key: string };
  const board = useTestBoard();
  beforeAll(async () => {
    publisher = await register(board);
    await write(board, publisher.key, { title: "A fair", kind: "event", tags: ["a", "b"] });
    await write(board, publisher.key, { title: "A bike", kind: "offer", tags: ["a"] });
    await write(board, publisher.key, { title: "A boat", kind: "request", tags: ["c"] });
  });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const me = (headers: Record<string, string>) => call(board, "GET /publishers/me", undefined, { headers });
  it.each<[string, (key: string) => string]>([
    ["Bearer KEY", (key) => `Bearer ${key}`],
    ["KEY", (key) => key],
    ["Bearer Bearer KEY", (key) => `Bearer Bearer ${key}`],
    ['Bearer "KEY"', (key) => `Bearer "${key}"`],
    ["Token KEY", (key) => `Token ${key}`],
    ["Token token=KEY", (key) => `Token token=${key}`],
    ["Basic, the key as name", (key) => basic(`${key}:`)],
    ["Basic, the key as password", (key) => basic(`agent:${key}`)],
  ])("know the key in `Authorization: %s`", async (_form, header) => {
    const { status, body } = await me({ authorization: header(publisher.key) });
    expect([status, body.data.id]).toEqual([200, publisher.id]);
  });

  it("know the key in `x-api-key`, and never in the query", async () => {
    expect((await me({ "x-api-key": publisher.key })).status).toBe(200);
    // What stands in `Authorization` counts before it.
    expect((await me({ authorization: `Bearer ${publisher.key}`, "x-api-key": "other" })).status).toBe(200);
    const other = await me({ authorization: "Bearer other", "x-api-key": publisher.key });
    expect([other.status, other.body.error.code]).toEqual([401, "invalid_api_key"]);
    for (const name of ["api_key", "key", "x-api-key", "authorization"]) {
      const { error } = (await call(board, `GET /publishers/me?${name}=${publisher.key}`)).body;
      expect(error.code).toBe("missing_api_key");
    }
  });

  it.each([basic("agent:password"), "Digest username=agent", "Token other"])(
    "are told how to send a key, and where to get one, beside `Authorization: %s`",
    async (authorization) => {
      const { status, body } = await me({ authorization });
      expect([status, body.error.code]).toEqual([401, "missing_api_key"]);
      expect(body.error.hint).toMatch(
        /^Send `Authorization: Bearer <api_key>`, no other scheme\..* register once/,
      );
    },
  );

  it.each(["utf8", "UTF8", '"utf8"', "utf-8"])("are JSON with charset=%s", async (charset) => {
    const headers = { "content-type": `application/json; charset=${charset}` };
    const { status } = await call(board, "POST /reports", {}, { key: publisher.key, headers });
    expect(status).toBe(400);
  });

  it.each([
    ["-gzip", 304],
    ["-br", 304],
    ["-zstd", 304],
    [";gzip", 304],
    [";deflate", 304],
    ["-other", 200],
  ])("name a known version by its tag and %s of a server in between: %i", async (mark, status) => {
    const etag = (await call(board, "GET /posts")).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag.replace(/"$/, `${mark}"`) };
    expect((await call(board, "GET /posts", undefined, { headers })).status).toBe(status);
  });

  it.each([
    ["/posts?kind[]=event", ["A fair"]],
    ["/posts?kind%5B%5D=event&limit=", ["A fair"]],
    ["/posts?kind[0]=event&kind[1]=offer&sort=newest", ["A bike", "A fair"]],
    ["/posts?tags[]=b", ["A fair"]],
    ["/posts?tags%5B0%5D=a&tags%5B11%5D=b&sort=newest", ["A bike", "A fair"]],
    ["/search?kind=offer&cursor=&limit=&near=&radius_km=&sort=&verified=&after=", ["A bike"]],
  ])("filter by what they name: %s", async (path, expected) => {
    expect(await titles(board, path)).toEqual(expected);
  });

  it.each(["/feed.json?kind[]=event&limit=&cursor=", "/search.json?kind[]=event&limit=&cursor="])(
    "filter pages and feeds too: %s",
    async (path) => {
      const { status, body } = await call(board, `GET ${board.url}${path}`);
      expect([status, (body.items ?? body.data).length]).toEqual([200, 1]);
    },
  );

  it.each([
    ['{"a":9007199254740993}', "send them as text"],
    ['{"a":[-12345678901234567890]}', "send them as text"],
    ['{"a":1e400}', "send them as text"],
    ['{"__proto__":{"a":1}}', "`__proto__`"],
    ['{"a":{"__proto__":1}}', "`__proto__`"],
  ])("are refused where JSON would change on the way: metadata %s", async (metadata, reason) => {
    const body = `{"title":"Numbers","body":"Some of them.","metadata":${metadata}}`;
    const answer = await call(board, "POST /posts", body, { key: publisher.key });
    expect([answer.status, answer.body.error.issues]).toMatchObject([
      400,
      [{ path: "metadata", message: expect.stringContaining(reason) }],
    ]);
  });

  it("keep the numbers of metadata that JSON keeps", async () => {
    const metadata = { a: Number.MAX_SAFE_INTEGER, b: -1.5e-7, constructor: 1 };
    expect((await write(board, publisher.key, { title: "Kept", metadata })).metadata).toEqual(metadata);
  });

  it("may send a whole post back to change a field, and change nothing else by it", async () => {
    const { id } = await write(board, publisher.key, { title: "Before", url: "https://example.org/a" });
    const whole = (await call(board, `GET /posts/${id}`)).body.data;
    const sent = { ...whole, title: "After" };
    const { status, body } = await call(board, `PATCH /posts/${id}`, sent, { key: publisher.key });
    expect(status, JSON.stringify(body)).toBe(200);
    const { title, link, parent_id: parent, url } = (await call(board, `GET /posts/${id}`)).body.data;
    expect({ title, link, parent, url }).toEqual({
      title: "After",
      link: "https://example.org/a",
      parent: null,
      url: `${board.url}/p/${id}`,
    });
  });
});
