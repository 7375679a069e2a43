import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../../support/boards/board.ts";
import { call } from "../../support/boards/client.ts";
import { writeMany } from "../../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";

const DAY_MS = 86_400_000;

describe("a search that some filter empties", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);
  const other = usePublisher(board, "Other");
  let thread: string;
  beforeAll(async () => {
    const place = { name: "Ulm", lat: 48.4, lng: 9.99 };
    const common = { title: "Theorbo", kind: "offer", tags: ["lute"], location: place };
    await write(board, me.key, { ...common, syndicated: true, source_url: "https://example.org/theorbo" });
    ({ id: thread } = await write(board, other.key, { title: "A thread", kind: "thread" }));
    await write(board, me.key, { title: "Archlute", body: "Spare strings", parent_id: thread });
    await write(board, me.key, { title: "Crumhorn", expires_at: at(1) });
    now += 2 * DAY_MS;
  });

  it.each([
    [
      "near=49,9.99&radius_km=20&q=theorbo",
      "`radius_km=100` finds 1, `radius_km=500` finds 1, searching without `near` finds 1",
    ],
    ["near=54,9.99&radius_km=100&q=theorbo", "searching without `near` finds 1"],
    ["kind=request&q=theorbo", "any `kind` finds 1"],
    ["tags=brass&q=theorbo", "searching without `tags` finds 1"],
    ["after=2027-01-01&q=theorbo", "searching without `after` and `before` finds 1"],
    ["verified=true&q=theorbo", "searching without `verified` finds 1"],
    ["include_syndicated=false&q=theorbo", "`include_syndicated=true` finds 1"],
    ["q=crumhorn", "`include_expired=true` finds 1"],
    ["q=archlute", "`include_replies=true` finds 1"],
    ["q=theorbo+-theorbo", "searching without quotes and exclusions finds 1"],
    ["tags=brass&q=-crumhorn", "searching without `tags` finds 2"],
    ["q=%22theorbo+recorder%22", "searching without quotes and exclusions finds 1"],
  ])("says so of %s: %s, and nothing else", async (query, note) => {
    const { body } = await call(board, `GET /search?${query}`);
    expect(body.data).toEqual([]);
    expect(body.meta.note).toBe(`Nothing matched all filters; ${note}.`);
  });

  it("says that a board below fifty posts is small, and above what else to try", async () => {
    const small = await startBoard({}, { clock: () => now });
    // The board counts its posts anew after a while.
    const note = async () => {
      now += 60_000;
      return (await call(small, "GET /search?q=theorbo")).body.meta.note;
    };
    await writeMany(
      small,
      Array.from({ length: 49 }, () => ({ kind: "thread" })),
    );
    expect(await note()).toBe("Nothing matched; this board is small and holds 49 posts.");
    await writeMany(small, [{ kind: "thread" }]);
    expect(await note()).toBe(
      "Nothing matched. Try other words, or save the query with `subscribe` to be told of new posts.",
    );
    expect((await call(small, "GET /search?kind=offer&include_replies=true")).body.meta.note).toBe(
      "Nothing matched all filters; any `kind` finds 50.",
    );
    expect((await call(small, "GET /search?publisher=&q=%F0%9F%A5%9E")).body.meta.note).toBe(
      "`q` holds no word; signs and emoji are not searched for.",
    );
    await small.stop();
  });

  it("says so of a thread and of a publisher, whose replies need no leave", async () => {
    const { id } = (await call(board, "GET /publishers/me", undefined, other)).body.data;
    const noteOn = async (query: string) => (await call(board, `GET /search?${query}`)).body.meta.note;
    expect(await noteOn(`thread=${thread}&q=theorbo`)).toBe(
      "Nothing matched all filters; searching without `thread` finds 1.",
    );
    expect(await noteOn(`publisher=${id}&q=theorbo`)).toBe(
      "Nothing matched all filters; searching without `publisher` finds 1.",
    );
    expect(await noteOn("publisher=Other&q=theorbo")).toBe(
      "`publisher` takes the id of a publisher (pub_…), which results name beside it. To find one by its name, search for a post of it: put the name into `q`.",
    );
    expect(await noteOn("publisher=pub_nobody&q=theorbo")).toBe(
      "No publisher has the id sent as `publisher`; results name the ids of theirs.",
    );
    expect(await noteOn("thread=nope&q=theorbo")).toBe(
      "No post has the id sent as `thread`. Take the id of a post from `search`, without `thread`.",
    );
  });
});
