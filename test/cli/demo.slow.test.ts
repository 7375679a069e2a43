import { afterEach, describe, expect, it, vi } from "vitest";
import { DEMO_FEED, demoFeed } from "../../demo/feed.ts";
import { startBoard } from "../support/boards/board.ts";
import { runHere } from "../support/boards/command.ts";
import { activePosts, addFeed } from "../support/boards/feed-source.ts";
import { useFolder } from "../support/boards/use.ts";

const DAY_MS = 86_400_000;
const LISTED = Date.UTC(2026, 10, 20, 12);
const rowsOf = (now: number) =>
  demoFeed(now)
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);

describe("the demo", () => {
  it("has the dates of its source when it was listed, and moves them by whole weeks, which it says", () => {
    const [first, later] = [rowsOf(LISTED), rowsOf(LISTED + 401 * DAY_MS)];
    expect(later.map((row) => row["source_id"])).toEqual(first.map((row) => row["source_id"]));
    for (const [n, row] of later.entries()) {
      for (const date of ["starts_at", "ends_at"]) {
        const moved = Date.parse(row[date] ?? "") - Date.parse(first[n]?.[date] ?? "");
        expect(moved / DAY_MS, row["title"]).toBe(57 * 7);
      }
      expect(row["body"]).toContain("moved by 57 weeks");
      expect(first[n]?.["body"]).not.toContain("moved");
    }
  });

  it("lies ahead on any day; a board moves it on, adds nothing twice, and shows the licence", async () => {
    let now = LISTED;
    const board = await startBoard({}, { clock: () => now, idle: true });
    const { url, name, license } = DEMO_FEED;
    const { feed, publisher } = await addFeed(board, url, { kind: "jsonl", name, license, tags: [] });
    const first = await board.board.syndication.poll(feed);
    expect(first).toMatchObject({ changed: 0, folded: 0, left: 0, refused: [] });
    expect((await activePosts(board, publisher)).length).toBeGreaterThanOrEqual(45);
    expect(await board.board.syndication.poll(feed)).toEqual({ unchanged: true });
    for (const days of [400, 1000]) {
      now = LISTED + days * DAY_MS;
      expect(await board.board.syndication.poll(feed)).toMatchObject({ added: 0, refused: [] });
      const posts = await activePosts(board, publisher);
      // Some have ended since the week began.
      expect(posts.length).toBeGreaterThanOrEqual(35);
      for (const { title, endsAt, location, flags, metadata } of posts) {
        expect(endsAt, title).toBeGreaterThan(now);
        expect(flags, title).toEqual([]);
        expect(typeof location?.lat === "number", title).toBe(metadata["in_person"]);
        expect(metadata).toMatchObject({ license: "MIT", all_day: true, source_name: name });
        expect(metadata).toHaveProperty("online");
      }
    }
    await board.stop();
  });
});

describe("agent-board demo", () => {
  const folder = useFolder();
  afterEach(() => vi.useRealTimers());
  const run = async (...args: string[]) => (await runHere(args, { DATA_DIR: folder, STORE_URL: "" })).stdout;

  it("makes a board with conferences, and again adds nothing", async () => {
    // The dates move on when a week begins.
    vi.useFakeTimers({ toFake: ["Date"] });
    const first = JSON.parse(await run("demo", "--json"));
    expect(first).toMatchObject({ license: "MIT", home: DEMO_FEED.home, unchanged: false, refused: [] });
    expect(first.added).toBeGreaterThanOrEqual(35);
    expect(await run("demo")).toMatch(
      new RegExp(`^unchanged\nLicence of the data: MIT, .* \`agent-board feeds remove ${first.feed}\``),
    );
    const [listed] = JSON.parse(await run("feeds", "list", "--json"));
    expect(listed).toMatchObject({ id: first.feed, url: DEMO_FEED.url, state: { added: first.added } });
  });
});
