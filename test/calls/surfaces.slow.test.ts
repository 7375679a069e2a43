import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { embedded } from "../support/boards/settled.ts";
import { useClient, useTestBoard } from "../support/boards/use.ts";
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

const board = useTestBoard({ EMBEDDINGS: "required" });
beforeAll(async () => {
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
  await embedded(board);
});

describe("the same question over REST and over MCP", () => {
  const client = useClient(board, "/mcp/data");

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

  it("gives the same post, with the same related ones", async () => {
    const { body } = await call(board, "GET /search?q=lantern&limit=1");
    const [{ id }] = body.data;
    const rest = await call(board, `GET /posts/${id}`);
    const mcp = await client.call("get_post", { id });
    expect(rest.body.data.related).toHaveLength(5);
    expect(mcp.data.related.map((post: { id: string }) => post.id)).toEqual(
      rest.body.data.related.map((post: { id: string }) => post.id),
    );
  });
});
