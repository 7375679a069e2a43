import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { CLIENTS, type TestClient } from "../support/clients/mcp-clients.ts";
import { distinctText } from "../support/texts/texts.ts";

const QUESTIONS: Record<string, string>[] = [
  { q: "lantern saddle" },
  { q: "light for a dark evening" },
  { q: "silver harp", rerank: "false" },
  { q: "violin piano drum", kind: "offer,request", limit: "5" },
  { kind: "event", after: "2026-01-01", sort: "soonest" },
  { tags: "even", near: "52.37,4.90", radius_km: "400", limit: "7" },
  { sort: "newest", limit: "10", include_replies: "true" },
  { q: '"quilt river" -tower' },
];

let board: TestBoard;
beforeAll(async () => {
  board = await startBoard({ EMBEDDINGS: "required" });
  await board.board.embedder.settled();
  const { key } = await register(board);
  for (let n = 0; n < 60; n += 1) {
    const post = {
      ...distinctText(n),
      kind: ["event", "offer", "request", "announcement", "thread"][n % 5],
      tags: [n % 2 === 0 ? "even" : "odd"],
      location: { name: `Place ${n}`, lat: 50 + (n % 7), lng: 3 + (n % 5) },
      ...(n % 5 === 0 ? { starts_at: new Date(Date.now() + (n + 1) * 86_400_000).toISOString() } : {}),
    };
    expect((await call(board, "POST /posts", post, { key })).status).toBe(201);
  }
  await eventually(
    () => board.board.store.work.backlog("embed"),
    (left) => left === 0,
    30_000,
  );
});
afterAll(() => board.stop());

describe.each(Object.entries(CLIENTS))("the same question over REST and over MCP (%s)", (_era, connect) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect({ url: `${board.url}/mcp/data` });
  });
  afterAll(() => client.close());

  it.each(QUESTIONS)("gives the same posts in the same order, page by page: %j", async (question) => {
    let restCursor: string | undefined;
    let mcpCursor: string | undefined;
    let asked = 0;
    do {
      const page = (cursor?: string) => ({ ...question, ...(cursor === undefined ? {} : { cursor }) });
      const rest = await call(board, `GET /search?${new URLSearchParams(page(restCursor))}`);
      const mcp = await client.call("search", page(mcpCursor));
      const ids = (posts: { id: string }[]) => posts.map(({ id }) => id);
      expect(ids(mcp.data)).toEqual(ids(rest.body.data));
      if (asked === 0) expect(rest.body.data.length).toBeGreaterThan(0);
      restCursor = rest.body.next_cursor ?? undefined;
      mcpCursor = mcp.nextCursor;
      expect(mcpCursor === undefined).toBe(restCursor === undefined);
      asked += 1;
    } while (restCursor !== undefined && asked < 10);
  });

  it("gives the same post, the same board and the same failures", async () => {
    const { body } = await call(board, "GET /search?q=lantern&limit=1");
    const [{ id }] = body.data;
    const rest = await call(board, `GET /posts/${id}`);
    const mcp = await client.call("get_post", { id });
    expect(mcp.data.related.map((post: { id: string }) => post.id)).toEqual(
      rest.body.data.related.map((post: { id: string }) => post.id),
    );
    for (const [tool, args, path, hint] of [
      ["get_post", { id: "nobodyhas1" }, "/posts/nobodyhas1", "Search again with `search`."],
      // Wrong arguments are told in the words of each surface.
      ["search", { limit: 1000 }, "/search?limit=1000", "Call `search` again with `limit` corrected."],
      ["search", { cursor: "x" }, "/search?cursor=x", null],
    ] as const) {
      const refused = await call(board, `GET ${path}`);
      const told = await client.call(tool, args);
      expect(told.isError).toBe(true);
      expect(told.text).toContain(refused.body.error.code);
      expect(told.text).toContain(hint ?? refused.body.error.hint);
    }
  });
});
