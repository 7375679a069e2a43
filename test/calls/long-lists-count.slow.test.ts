import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calendarOf } from "../../src/adapters/feeds/calendar.ts";
import type { Post } from "../../src/schema/post.ts";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { distinctText } from "../support/texts/texts.ts";

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

describe("lists count by their size", () => {
  const board = useTestBoard({ RATE_LIMITS: "search=3/60,write=900/60", TRUST_PROXY: "1" });
  const left = (headers: Headers) => /^"search";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];

  it("a calendar as the searches that it is made of, a short one as one", async () => {
    const { key } = await register(board);
    const get = (path: string, address: string) =>
      call(board, `GET ${board.url}${path}`, undefined, from(address));
    for (let n = 0; n < 201; n += 1) {
      if (n === 100) {
        const short = await get("/calendar.ics", "203.0.113.1");
        expect([short.status, left(short.headers)]).toEqual([200, "2"]);
      }
      const starts_at = new Date(Date.now() + (n + 1) * 3_600_000).toISOString();
      const post = { ...distinctText(n), kind: "event", starts_at };
      expect((await call(board, "POST /posts", post, { key })).status).toBe(201);
    }
    const long = await get("/calendar.ics", "203.0.113.2");
    expect([long.status, left(long.headers)]).toEqual([200, "0"]);
    expect(long.body.match(/BEGIN:VEVENT/g)).toHaveLength(201);
    expect((await get("/calendar.ics", "203.0.113.2")).status).toBe(429);
    // Two searches are left for three pages.
    await get("/calendar.ics?limit=5", "203.0.113.3");
    expect((await get("/calendar.ics", "203.0.113.3")).status).toBe(429);
    expect((await get("/calendar.ics?limit=100", "203.0.113.4")).status).toBe(200);
  });

  it("the front page and the calendar as the searches on them, beside the reading", async () => {
    const page = async (path: string, address: string) => {
      const headers = { ...from(address).headers, accept: "text/html" };
      return (await call(board, `GET ${board.url}${path}`, undefined, { headers })).status;
    };
    // Three of 201 events, and one of a month without any.
    expect([await page("/calendar", "203.0.113.9"), await page("/calendar", "203.0.113.9")]).toEqual([
      200, 429,
    ]);
    const month = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 7);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await page(`/calendar?month=${month}`, "203.0.113.11"));
    expect(statuses).toEqual([200, 200, 200, 429]);
    // Three of 201 events, one of the rest: there is more than a page ahead.
    expect(await page("/", "203.0.113.10")).toBe(429);
  });
});

describe("a calendar of a thousand events", () => {
  it("is written while others are answered", async () => {
    const post = {
      id: "7fKm3Qx9Rt",
      kind: "event",
      title: "A fair",
      body: "Long. ".repeat(1_300),
      tags: [],
      metadata: {},
    };
    const at = "2099-01-01T10:00:00Z";
    const rest = {
      starts_at: at,
      ends_at: null,
      created_at: at,
      updated_at: at,
      link: null,
      location: null,
      url: "https://board.example/p/x",
      publisher: { name: "X" },
    };
    const posts = Array.from({ length: 1_000 }, () => ({ ...post, ...rest }) as unknown as Post);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = await calendarOf(
      posts,
      {
        uidOf: (id) => id,
        title: "All",
        self: "https://board.example/calendar.ics",
      },
      [],
      nextTurn,
    );
    isOver = true;
    expect(text.match(/END:VEVENT/g)).toHaveLength(1_000);
    expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
    expect(turns).toBeGreaterThan(40);
  });
});
