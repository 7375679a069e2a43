import { describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";

describe("GET /metrics", () => {
  it("answers every specified field without an API key, and 30 days of figures", async () => {
    const board = await startBoard({}, { clock: () => Date.UTC(2026, 10, 20, 12) });
    const { key } = await register(board);
    await write(board, key);
    await call(board, "GET /search?q=zeppelin");
    await board.flush();
    const { status, body } = await call(board, "GET /metrics");
    expect(status).toBe(200);
    expect(Object.keys(body.data).sort()).toEqual(
      [
        ...["generated_at", "health", "north_stars", "metrics", "funnel", "board", "unmet_demand", "mcp"],
        ...["routes_7d", "registration_clients", "series_30d"],
      ].sort(),
    );
    expect(body.data.routes_7d).toMatchObject({ register_publisher: 1, create_post: 1, search: 1 });
    expect(body.data.series_30d).toHaveLength(30);
    expect(body.data.series_30d.at(-1)).toMatchObject({ posts: 1, searches: 1, registrations: 1 });
    expect(body.data.unmet_demand.zero_result_searches_30d).toBe(1);
    expect(JSON.stringify(body.data)).not.toContain("zeppelin");
    await board.stop();
  });
});
