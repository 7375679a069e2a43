import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../../support/boards/client.ts";
import { matched } from "../../support/boards/settled.ts";
import { useClient, useTestBoard } from "../../support/boards/use.ts";
import { prose, write } from "../../support/boards/writing.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 20, 12);

/** Seven days apart, the first tomorrow. */
const startOf = (n: number) => new Date(NOW + (1 + 7 * n) * DAY_MS).toISOString();

describe("the dates of one series", () => {
  let owner: { id: string; key: string };
  let now = NOW;
  const board = useTestBoard({}, { clock: () => now });
  const mcp = useClient(board, "/mcp/data");
  beforeAll(async () => {
    owner = await register(board, "Yoga Loft");
  });

  /** Writes dates of a weekly class; resolves to their ids by number. */
  const weekly = async (tag: string, weeks: readonly number[], fields: object = {}): Promise<string[]> => {
    const ids: string[] = [];
    for (const n of weeks) {
      now += 1_000;
      const body = `Bring a mat. It is about ${["breath", "balance", "rest"][n % 3]}. ${prose()}`;
      const post = {
        kind: "event",
        title: `Morning yoga ${tag}`,
        body,
        tags: [tag],
        starts_at: startOf(n),
        ends_at: new Date(Date.parse(startOf(n)) + 2 * HOUR_MS).toISOString(),
        ...fields,
      };
      ids[n] = (await write(board, owner.key, post)).id;
    }
    return ids;
  };
  const search = async (query: string) => (await call(board, `GET /search?${query}`)).body;
  const idsOf = (posts: { id: string }[]) => posts.map(({ id }) => id);

  it("are one result by relevance, the next, which names five later ones and counts the rest", async () => {
    const ids = await weekly("once", [3, 0, 1, 2, 4, 5, 6, 7]);
    for (const q of ["yoga", "yoga -pilates", '"morning yoga"']) {
      const { data, meta } = await search(`q=${encodeURIComponent(q)}&tags=once`);
      expect(idsOf(data), q).toEqual([ids[0]]);
      expect(data[0].also_on).toEqual({ starts_at: [1, 2, 3, 4, 5].map(startOf), more: 2 });
      expect(meta.total).toBe(1);
    }
  });

  it("come each where a list goes by time, where 14 days are asked for, and no longer", async () => {
    await weekly("each", [0, 1, 2, 3]);
    const count = async (query: string) => (await search(`tags=each&${query}`)).data.length;
    expect(await count("")).toBe(4);
    expect(await count("q=yoga&sort=newest")).toBe(4);
    expect(await count("q=yoga&sort=soonest")).toBe(4);
    const until = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
    const from = `q=yoga&after=${new Date(NOW).toISOString()}`;
    expect(await count(`${from}&before=${until(14)}`)).toBe(2);
    expect(await count(`${from}&before=${until(14 + 1e-6)}`)).toBe(1);
    expect(await count("q=yoga%20in%20the%20next%2014%20days")).toBe(4);
  });

  it("are as many as are left where some do not match, and stand for none that do not", async () => {
    const [first, second] = await weekly("left", [0, 1, 2]);
    const before = encodeURIComponent(startOf(1));
    expect((await search(`q=yoga&tags=left&before=${before}`)).data[0].also_on).toEqual({
      starts_at: [startOf(1)],
      more: 0,
    });
    expect(idsOf((await search("q=yoga%20-breath&tags=left")).data)).toEqual([second]);
    await call(board, `DELETE /posts/${first}`, undefined, owner);
    expect(idsOf((await search("q=yoga&tags=left")).data)).toEqual([second]);
  });

  it("are others with another publisher, title, page or place", async () => {
    const other = await register(board);
    await weekly("others", [0, 1]);
    const tags = ["others"];
    const post = { kind: "event", title: "Morning yoga others", tags, starts_at: startOf(0) };
    await write(board, other.key, post);
    await write(board, owner.key, { ...post, title: "Morning yoga others too" });
    await write(board, owner.key, { ...post, url: "https://example.org/yoga" });
    await write(board, owner.key, { ...post, location: { name: "Delft", lat: 52.01, lng: 4.36 } });
    expect((await search("q=yoga&tags=others")).data).toHaveLength(5);
  });

  it("give way to the next once they are over, also where they were told, and the last stands where all are", async () => {
    const saved = { query: { tags: "over" } };
    const { id } = (await call(board, "POST /subscriptions", saved, owner)).body.data;
    const told = async () =>
      idsOf((await call(board, `GET /subscriptions/${id}/pending`, undefined, owner)).body.data);
    const ids = await weekly("over", [0, 1], { expires_at: new Date(NOW + 60 * DAY_MS).toISOString() });
    const first = async () => {
      const [post] = (await search("q=yoga&tags=over")).data;
      return [post.id, post.also_on?.starts_at];
    };
    expect(await first()).toEqual([ids[0], [startOf(1)]]);
    // Once the first is over, the second would be told by itself.
    await matched(board);
    expect(await told()).toEqual([ids[0]]);
    const before = now;
    // What has begun is not over.
    now = Date.parse(startOf(0)) + HOUR_MS;
    expect([(await first())[0], await told()]).toEqual([ids[0], [ids[0]]]);
    now = NOW + 2 * DAY_MS;
    expect(await first()).toEqual([ids[1], undefined]);
    expect(await told()).toEqual([ids[1]]);
    now = NOW + 20 * DAY_MS;
    expect(await first()).toEqual([ids[1], undefined]);
    expect((await call(board, `GET /posts/${ids[0]}`)).body.data.also_on).toBeUndefined();
    now = before;
  });

  it("are told on a post's own page, in texts for models and on pages", async () => {
    const ids = await weekly("shown", [0, 1, 2, 3]);
    const { data } = (await call(board, `GET /posts/${ids[1]}`)).body;
    expect(data.also_on).toEqual({ starts_at: [startOf(2), startOf(3)], more: 0 });
    const { text } = await mcp.call("search", { q: "yoga", tags: ["shown"] });
    expect(text).toContain("also on 2026-11-28, 2026-12-05 +1");
    const page = await (await fetch(`${board.url}/search?q=yoga&tags=shown`)).text();
    expect(page).toMatch(/also <time [^>]*>28 Nov<\/time>, <time [^>]*>5 Dec<\/time>, <time [^>]*>12 Dec</);
  });
});
