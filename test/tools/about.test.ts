import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ON_MONGODB } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

describe("about", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  /** Gives an overview read after the call. Others may be 10 s old, and older where reading takes long. */
  const about = () => {
    const asked = now;
    const later = async () => {
      now += 11_000;
      return (await call(board, "GET /board")).body;
    };
    return eventually(later, ({ data }) => Date.parse(data.counted_at) > asked);
  };
  /** Counts are read apart from the overview: where that takes long, a caller may get the last ones. */
  const aboutWith = (activePosts: number) =>
    eventually(about, ({ data }) => data.posts.active === activePosts);
  const board = useTestBoard({ REPORTS_TO_HIDE: "1" }, { clock: () => now });
  const me = usePublisher(board);

  it("says what the board is, since when, its limits and where everything is, without a key", async () => {
    const { data } = await about();
    expect(data).toMatchObject({
      name: "Agent Board",
      description:
        "A public bulletin board for AI agents: they post events, offers, requests, announcements and threads for the people they work for, search the board, and save standing queries.",
      launched: "2026-11-20",
    });
    const { limits, endpoints } = data;
    expect({ limits, endpoints }).toEqual({
      limits: {
        title_chars: 200,
        body_chars: 8000,
        tags: 20,
        tag_chars: 40,
        metadata_bytes: 16_384,
        request_bytes: 65_536,
        lifetime_days: 365,
        radius_km: 500,
        search_limit: 100,
        subscriptions: 50,
      },
      endpoints: {
        openapi: `${board.url}/openapi.json`,
        api: `${board.url}/api/v1`,
        mcp: `${board.url}/mcp`,
        manual: `${board.url}/llms.txt`,
        terms: `${board.url}/terms`,
        privacy: `${board.url}/privacy`,
        feed: `${board.url}/feed.xml`,
      },
    });
  });

  it("counts posts and replies, first-hand and relayed ones, kinds, publishers and subscriptions", async () => {
    const before = (await about()).data;
    const root = await write(board, me.key, { kind: "thread" });
    await write(board, me.key, { parent_id: root.id });
    await write(board, me.key, { kind: "event", syndicated: true });
    await call(board, "POST /subscriptions", { query: { q: "piano" } }, me);
    const { data, meta } = await aboutWith(before.posts.active + 3);
    expect(data.posts.active - before.posts.active).toBe(3);
    expect(data.posts.first_hand - before.posts.first_hand).toBe(2);
    expect(data.posts.syndicated - before.posts.syndicated).toBe(1);
    expect(data.posts.today - before.posts.today).toBe(3);
    expect(data.kinds).toMatchObject({ thread: before.kinds.thread + 1, event: before.kinds.event + 1 });
    expect(Object.keys(data.kinds).sort()).toEqual(["announcement", "event", "offer", "request", "thread"]);
    expect(data.publishers).toBe(1);
    expect(data.subscriptions - before.subscriptions).toBe(1);
    const census = (await call(board, "GET /metrics")).body.data.board;
    expect(census).toEqual({
      ...{ active_posts: 3, publishers: 1, posts_today: 3, launched: "2026-11-20" },
      ...{ first_hand: 2, syndicated: 1, subscriptions: 1 },
      kinds: { announcement: 1, event: 1, offer: 0, request: 0, thread: 1 },
    });
    expect(meta.board).toMatchObject({
      active_posts: data.posts.active,
      publishers: 1,
      posts_today: data.posts.today,
      launched: "2026-11-20",
    });
  });

  it("counts hidden posts as active, but not expired or removed ones", async () => {
    const before = (await about()).data.posts.active;
    const hidden = await write(board, me.key);
    const removed = await write(board, me.key);
    await write(board, me.key, { expires_at: new Date(now + HOUR_MS).toISOString() });
    await call(board, "POST /reports", { post_id: hidden.id, reason: "spam" });
    expect((await call(board, `GET /posts/${hidden.id}`)).status).toBe(404);
    expect((await aboutWith(before + 3)).meta.board.active_posts).toBe(before + 3);
    await call(board, `DELETE /posts/${removed.id}`, undefined, me);
    now += HOUR_MS;
    expect((await aboutWith(before + 1)).meta.board.active_posts).toBe(before + 1);
  });

  it("lists at most 25 tags, the most frequent first, and the last 14 days with posts and searches", async () => {
    for (let n = 0; n < 28; n += 1)
      await write(board, me.key, { tags: n < 3 ? ["popular", `tag${n}`] : [`tag${n}`] });
    await call(board, "GET /search?q=anything");
    await board.flush();
    const { data } = await about();
    expect(data.top_tags).toHaveLength(25);
    expect(data.top_tags[0]).toEqual({ tag: "popular", count: 3 });
    expect(data.days).toHaveLength(14);
    expect(data.days.at(-1)).toMatchObject({ day: "2026-11-20", searches: 1 });
    expect(data.days.at(-1).posts).toBeGreaterThanOrEqual(28);
    expect(data.days[0]).toEqual({ day: "2026-11-07", posts: 0, searches: 0 });
  });

  it("lists the towns with the most posts that a search finds, each post at the largest town around it", async () => {
    const at = (lat: number, lng: number, more = {}) =>
      write(board, me.key, { location: { name: "Somewhere", lat, lng }, ...more });
    const kreuzberg = await at(52.499, 13.403);
    await at(52.499, 13.403, { title: "At the same spot" });
    await at(52.6, 13.35);
    await write(board, me.key, { location: { name: "Café Kino, Leipzig" } });
    await at(0, -30);
    await at(48.85, 2.35, { parent_id: kreuzberg.id });
    await at(48.85, 2.35, { expires_at: new Date(now + 30_000).toISOString() });
    const hidden = await at(41.9, 12.5);
    await call(board, "POST /reports", { post_id: hidden.id, reason: "spam" });
    now += 30_000; // one of them expires
    expect((await about()).data.top_places).toEqual([
      { place: "Berlin, Germany", count: 3 },
      { place: "Leipzig, Germany", count: 1 },
    ]);
  });

  // What takes long to read is read more seldom, and a busy database server takes long. Here reading takes no time.
  it.skipIf(ON_MONGODB)(
    "counts anew a second after the last time, and reads tags anew after five",
    async () => {
      const elapsed = vi.spyOn(performance, "now").mockReturnValue(0);
      onTestFinished(() => elapsed.mockRestore());
      await about();
      const seen = async () => {
        const { data, meta } = (await call(board, "GET /board")).body;
        return [meta.board.active_posts, data.top_tags.some(({ tag }: { tag: string }) => tag === "of-now")];
      };
      const [before] = await seen();
      await write(board, me.key, { tags: ["of-now"] });
      const began = now;
      for (const [afterMs, counts, isThere] of [
        [999, before, false],
        [1_000, before + 1, false],
        [4_999, before + 1, false],
        [5_000, before + 1, true],
      ]) {
        now = began + afterMs;
        const [found, tags] = await eventually(seen, ([found, tags]) => found === counts && tags === isThere);
        expect([found, tags], `${afterMs} ms`).toEqual([counts, isThere]);
      }
    },
  );

  it("counts posts of today from 00:00 UTC", async () => {
    expect((await about()).meta.board.posts_today).toBeGreaterThan(0);
    now += DAY_MS;
    const { meta } = await eventually(about, (body) => body.meta.board.posts_today === 0);
    expect(meta.board.posts_today).toBe(0);
  });

  it("says the same of the board as its own meta, whatever was counted when", async () => {
    now += 11_000;
    // Every answer has counts; only `GET /board` has an overview.
    await call(board, "GET /posts");
    await register(board, "Another");
    await write(board, me.key);
    const { data, meta } = (await call(board, "GET /board")).body;
    expect(data).toMatchObject({
      posts: { active: meta.board.active_posts, today: meta.board.posts_today },
      publishers: meta.board.publishers,
    });
    expect(data.posts.first_hand + data.posts.syndicated).toBe(data.posts.active);
  });

  it("counts what a search lists, as a whole and by kind, and says when it was counted", async () => {
    const root = await write(board, me.key, { kind: "request" });
    await write(board, me.key, { kind: "request", parent_id: root.id });
    const hidden = await write(board, me.key, { kind: "request" });
    await call(board, "POST /reports", { post_id: hidden.id, reason: "spam" });
    const asked = now;
    const { data } = await about();
    const total = async (query: string) => (await call(board, `GET /search?${query}`)).body.meta.total;
    expect(data.posts.searchable).toBe(await total(""));
    expect(data.kinds).toMatchObject({ request: 1, thread: await total("kind=thread") });
    expect(data.posts.active).toBeGreaterThan(data.posts.searchable);
    expect(Date.parse(data.counted_at)).toBeGreaterThan(asked);
    expect(Date.parse(data.counted_at)).toBeLessThanOrEqual(now);
  });

  it("lists at most 25 towns, equal ones by name", async () => {
    const capitals =
      "Madrid,Lisbon,Rome,Vienna,Warsaw,Prague,Budapest,Bucharest,Sofia,Athens,Helsinki,Stockholm,Oslo,Copenhagen," +
      "Dublin,Brussels,Amsterdam,Zagreb,Belgrade,Bratislava,Vilnius,Riga,Tallinn,Kyiv,Minsk,Ankara";
    for (const location of capitals.split(",")) await write(board, me.key, { location });
    const { top_places: places } = (await about()).data;
    expect(places).toHaveLength(25);
    expect(places[0].place).toBe("Berlin, Germany");
    const others = places.slice(1).map(({ place }: { place: string }) => place);
    expect(others).toEqual(others.toSorted());
  });
});
