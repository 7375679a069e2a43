import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../../support/boards/client.ts";
import { useTestBoard } from "../../support/boards/use.ts";
import { prose, write } from "../../support/boards/writing.ts";

describe("posts about one thing in a search", () => {
  let relay: string;
  let organiser: string;
  let now = Date.UTC(2026, 10, 20, 12);
  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    ({ key: relay } = await register(board));
    ({ key: organiser } = await register(board));
  });

  const post = async (key: string, fields: object): Promise<string> => {
    now += 1_000;
    const body = `An evening of readings. ${prose()}`;
    return (await write(board, key, { kind: "event", title: "Reading", body, ...fields })).id;
  };
  const search = async (query: string) => (await call(board, `GET /search?${query}`)).body;
  const source = "https://www.example.org/readings/7";

  it("come once, the first-hand one, which names the others", async () => {
    const tags = ["once"];
    const first = await post(relay, { tags, source_url: `${source}?utm_source=mail`, syndicated: true });
    const second = await post(relay, { tags, source_url: `${source}/#top`, syndicated: true });
    const own = await post(organiser, { tags, source_url: "http://example.org/readings/7?fbclid=1" });
    const other = await post(organiser, { tags, source_url: "https://example.org/readings/8" });
    const reply = await post(relay, { kind: "thread", parent_id: own, tags, source_url: source });
    for (const query of ["tags=once", "tags=once&q=readings", "tags=once&q=readings&sort=newest"]) {
      const { data, meta } = await search(query);
      expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([own, other].sort());
      expect(data.find(({ id }: { id: string }) => id === own).copies).toEqual({
        count: 2,
        ids: [first, second],
      });
      expect(data.find(({ id }: { id: string }) => id === other)).not.toHaveProperty("copies");
      expect(meta.note ?? "").not.toContain("copies");
    }
    const withReplies = await search("tags=once&include_replies=true");
    expect(withReplies.data.map(({ id }: { id: string }) => id)).toEqual([reply, other, own]);
    const ofRelay = await search(
      `tags=once&publisher=${(await call(board, `GET /posts/${first}`)).body.data.publisher.id}`,
    );
    expect(ofRelay.data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
  });

  it("stand for each other where they match, and step in for one that is removed", async () => {
    const shared = { tags: ["match"], source_url: "https://example.org/match" };
    const own = await post(organiser, shared);
    const copy = await post(relay, { ...shared, syndicated: true, kind: "offer", body: "With a violin." });
    const found = async (query: string) =>
      (await search(`tags=match${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await found("")).toEqual([own]);
    expect(await found("&kind=offer")).toEqual([copy]);
    expect(await found("&q=violin")).toEqual([copy]);
    // Both match, the copy better.
    expect([await found("&q=reading"), await found("&q=reading+violin")]).toEqual([[own], [copy]]);
    await call(board, `DELETE /posts/${own}`, undefined, { key: organiser });
    expect(await found("")).toEqual([copy]);
  });

  it("are different things under different titles", async () => {
    const tags = ["titles"];
    await post(organiser, { tags, source_url: source, title: "The violin teacher" });
    await post(relay, { tags, source_url: source, title: "The night nurse" });
    expect((await search("tags=titles")).data).toHaveLength(2);
  });

  it("are different things on different days", async () => {
    const tags = ["days"];
    await post(organiser, { tags, source_url: source, starts_at: "2026-12-01T19:00:00Z" });
    await post(relay, { tags, source_url: source, starts_at: "2026-12-08T19:00:00Z" });
    expect((await search("tags=days")).data).toHaveLength(2);
  });

  it.each(["q=readings&", ""])("are on no page of a walk twice, whatever its order (%s)", async (q) => {
    const tags = [`walk${q.length}`];
    const firsts: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const source_url = `https://example.org/walks/${q.length}/${n}`;
      firsts.push(await post(relay, { tags, source_url, syndicated: true }));
      await post(organiser, { tags, source_url, syndicated: true });
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const { data, next_cursor } = await search(`${q}tags=${tags}&limit=2${cursor}`);
      seen.push(...data.map(({ id }: { id: string }) => id));
      // A first-hand post that arrives between pages does not bring its relayed copy back.
      if (cursor === "")
        await post(organiser, { tags, source_url: `https://example.org/walks/${q.length}/5` });
      cursor = next_cursor === null ? "" : `&cursor=${encodeURIComponent(next_cursor)}`;
    } while (cursor !== "");
    expect(seen.toSorted()).toEqual(firsts.toSorted());
  });

  it("are several when they are entries of one feed without a link of their own", async () => {
    const entry = { tags: ["calendar"], source_url: "https://example.org/all.ics", syndicated: true };
    const ids = [];
    for (const source_id of ["1", "2"]) ids.push(await post(relay, { ...entry, metadata: { source_id } }));
    const again = await post(organiser, { ...entry, metadata: { source_id: "2" } });
    const { data } = await search("tags=calendar&sort=newest");
    expect(data.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse());
    expect(data[0].copies).toEqual({ count: 1, ids: [again] });
  });

  it("are told of in feeds, on pages and over MCP", async () => {
    const tags = ["shown"];
    const own = await post(organiser, { tags, source_url: "https://example.org/shown" });
    const copy = await post(relay, { tags, source_url: "https://example.org/shown", syndicated: true });
    const text = async (path: string) => (await fetch(`${board.url}${path}`)).text();
    const feed = JSON.parse(await text("/feed.json?tags=shown"));
    expect(feed.items).toHaveLength(1);
    expect(feed.items[0]._board).toMatchObject({ id: own, copies: { count: 1, ids: [copy] } });
    expect(await text("/feed.xml?tags=shown")).toContain(`also posted as ${copy}`);
    const page = await text("/search?tags=shown");
    expect(page).toContain(`+1 from the same source: <a href="/p/${copy}">1</a>`);
    expect(await text("/search.md?tags=shown")).toContain(`also \`${copy}\``);
  });
});
