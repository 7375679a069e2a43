import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { getPage } from "../../support/texts/html.ts";

const POSTS = [
  ["Sewing machine for sale", "Mechanical, with a case and spare needles."],
  ["Washing machine, five years old", "Front loader, must be collected."],
  ["Boots for the mountains", "Worn twice, size 42."],
  ["Beekeeping course", "Five Saturdays in spring, veils are lent."],
  ["Carpenter and joiner", "Doors, windows and shelves."],
  ["Apartment to share", "Near a restaurant, a hand with the live music is welcome."],
] as const;

describe("misspelt words", () => {
  const search = async (q: string) => (await call(board, `GET /search?q=${encodeURIComponent(q)}`)).body;
  const corrected = async (q: string) => (await search(q)).meta.corrected;
  const subscribe = (query: object) => call(board, "POST /subscriptions", { query }, me);
  const board = useTestBoard({ EMBEDDINGS: "auto" });
  const me = usePublisher(board);
  beforeAll(async () => {
    expect(await board.board.embedder.settled()).toBe("ready");
    for (const [title, body] of POSTS) await write(board, me.key, { title, body });
  });

  it("are searched for as they were meant, and the answer says so", async () => {
    const { data, meta } = await search("sewing mashine");
    expect(data[0].title).toBe("Sewing machine for sale");
    expect(meta.corrected).toEqual([{ from: "mashine", to: "machine" }]);
    expect(meta.query.q).toBe("sewing machine");
    expect(meta.note).toContain('"mashine" was taken for "machine"');
  });

  it("are named once on the page of results, with a link to the search as typed", async () => {
    const { text } = await getPage(board, "/search?q=sewing+mashine");
    expect(text.match(/mashine</g)).toHaveLength(1);
    expect(text).toContain("shown is <b><bdi>machine</bdi></b>");
    const link = /<a href="([^"]+)">Search as typed</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(new URL(link, board.url).searchParams.get("q")).toBe('sewing "mashine"');
    expect((await getPage(board, link)).text).not.toContain("Search as typed");
    expect((await getPage(board, "/search.md?q=sewing+mashine")).text).toContain('"mashine" was taken for');
  });

  it.each([
    ["beekeping corse", ["beekeeping", "course"]],
    ["montains bots", ["mountains", "boots"]],
    ["saturdyas", ["saturdays"]],
    ["Beekeeeping", ["beekeeping"]],
    ["apartmnet", ["apartment"]],
    ["restaurnat", ["restaurant"]],
  ])("%s", async (q, meant) => {
    expect((await corrected(q)).map(({ to }: { to: string }) => to)).toEqual(meant);
  });

  it.each([
    ["quoted", 'sewing "mashine"'],
    ["of another language than the near word", "Hund"],
    ["of another language", "lave-linge d'occasion"],
    ["excluded", "sewing -mashine"],
    ["known to the model", "marine sealing"],
    ["a code", "MASHINE mashine2 mashine.org"],
    ["a short name within the text", "sewing with Mashin"],
    ["another word of the same stem", "sewings"],
    ["longer by an ending alone", "joinery"],
    ["near to nothing here", "zwonkelfit"],
    ["too short", "boo"],
  ])("are left alone when they are %s", async (_, q) => {
    expect(await corrected(q)).toBeUndefined();
  });

  it("are left alone as soon as a post has them", async () => {
    expect(await corrected("windwos")).toEqual([{ from: "windwos", to: "windows" }]);
    await write(board, me.key, { title: "Windwos is the name of my band" });
    expect(await corrected("windwos")).toBeUndefined();
    await write(board, me.key, { title: "Unicycle" });
    expect(await corrected("unicylce")).toEqual([{ from: "unicylce", to: "unicycle" }]);
  });

  it("are continued on the next page", async () => {
    const first = (await call(board, "GET /search?q=mashine&limit=1")).body;
    expect(first.data).toHaveLength(1);
    const second = (await call(board, `GET /search?q=mashine&limit=1&cursor=${first.next_cursor}`)).body;
    expect(second.data).toHaveLength(1);
    expect(second.data[0].id).not.toBe(first.data[0].id);
  });

  it("are corrected in a query that is saved or changed, and the answer says so", async () => {
    const { status, body } = await subscribe({ q: "sewing mashine" });
    expect(status).toBe(201);
    expect(body.data.query.q).toBe("sewing machine");
    expect(body.meta.note).toContain('"mashine" was taken for "machine"');
    const { id } = body.data;
    const edited = await call(board, `PATCH /subscriptions/${id}`, { query: { q: "beekeping" } }, me);
    expect(edited.body.data.query.q).toBe("beekeeping");
    expect(edited.body.meta.note).toContain("beekeeping");
    expect((await subscribe({ q: '"mashine"' })).body.data.query.q).toBe('"mashine"');
  });
});

describe("misspelt words, without a model", () => {
  const board = useTestBoard();
  const me = usePublisher(board);
  beforeAll(() => write(board, me.key, { title: "Sewing machine for sale" }));

  it("are corrected in a search, since they would find nothing, and saved as they are", async () => {
    const { body } = await call(board, "GET /search?q=mashine");
    expect(body.data).toHaveLength(1);
    expect(body.meta.corrected).toEqual([{ from: "mashine", to: "machine" }]);
    const saved = await call(board, "POST /subscriptions", { query: { q: "mashine" } }, me);
    expect(saved.body.data.query.q).toBe("mashine");
  });

  it("are the first twelve of a text, and in another language those from eight letters on", async () => {
    await write(board, me.key, { title: "Keyboard", body: "Frau Mueller" });
    const corrected = async (q: string) =>
      (await call(board, `GET /search?q=${encodeURIComponent(q)}`)).body.meta.corrected?.length ?? 0;
    const others = (count: number) => "abcdefghijkl".slice(0, count).replace(/./g, "zq$&vwxk ");
    expect([await corrected(`${others(11)}mashine`), await corrected(`${others(12)}mashine`)]).toEqual([
      1, 0,
    ]);
    expect([await corrected("für die keybaord"), await corrected("für die mashine")]).toEqual([1, 0]);
  });

  it("mean the word with the fewest slips, though others are in more posts", async () => {
    for (const title of ["Harpsibard", "Harpsibard again", "Harpsichord"])
      await write(board, me.key, { title });
    const { meta } = (await call(board, "GET /search?q=harpsicord")).body;
    expect(meta.corrected).toEqual([{ from: "harpsicord", to: "harpsichord" }]);
  });

  it("are told from words that posts spell otherwise", async () => {
    const noteOn = async (q: string) =>
      (await call(board, `GET /search?q=${encodeURIComponent(q)}`)).body.meta.note ?? "";
    expect(await noteOn("keyboard Müller")).not.toContain("No post has");
    expect(await noteOn("keyboard Möller")).toContain('No post has "möller"; these match the rest.');
  });
});
