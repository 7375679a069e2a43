import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";

const HOUR_MS = 3_600_000;

describe("a post whose end is past", () => {
  let now = Date.parse("2026-12-10T12:00:00Z");
  let id: string;
  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    const { key } = await register(board);
    const event = (title: string, body: string, hours: number) => ({
      kind: "event",
      title,
      body,
      starts_at: new Date(now + hours * HOUR_MS).toISOString(),
      ends_at: new Date(now + (hours + 2) * HOUR_MS).toISOString(),
      timezone: "Europe/Berlin",
    });
    const post = async (input: object) => (await call(board, "POST /posts", input, { key })).body.data.id;
    id = await post(event("Brass band concert", "Brass band in the square, bring a chair.", 1));
    const soup = "A brass band plays, and there is soup for everybody who comes along.";
    await post(event("Evening in the square", soup, 30));
    // On a board where every post has the words, they would not tell posts apart.
    for (const title of ["Oak table", "Two lamps", "Red kettle", "Garden chairs"])
      await post({ kind: "offer", title, body: `${title}, to be fetched.` });
    now += 5 * HOUR_MS;
  });

  it("is marked over REST, alone and in lists, and others are not", async () => {
    expect((await call(board, `GET /posts/${id}`)).body.data.over).toBe(true);
    const { data } = (await call(board, "GET /search?sort=newest")).body;
    const marks = new Map(data.map((post: { id: string; over?: true }) => [post.id, post.over]));
    expect(marks.get(id)).toBe(true);
    expect([...marks.values()].filter((over) => over === undefined)).toHaveLength(5);
  });

  it("is marked among related posts and replies too", async () => {
    const { key } = await register(board, "Answering");
    const [past, ahead] = [new Date(now - HOUR_MS), new Date(now + HOUR_MS)].map((at) => at.toISOString());
    const root = (await call(board, "POST /posts", { title: "Who plays when?", body: "Tell us." }, { key }))
      .body.data;
    for (const starts_at of [past, ahead]) {
      now += 1_000;
      const reply = { parent_id: root.id, title: `Playing at ${starts_at}`, body: "Brass.", starts_at };
      await call(board, "POST /posts", reply, { key });
    }
    const { replies } = (await call(board, `GET /posts/${root.id}`)).body.data;
    expect(replies.map((reply: { over?: true }) => reply.over)).toEqual([true, undefined]);
    const listed = (await call(board, `GET /posts/${root.id}/replies`)).body.data;
    expect(listed.map((reply: { over?: true }) => reply.over)).toEqual([true, undefined]);
  });

  it("is marked on pages and in feeds", async () => {
    const text = async (path: string) => (await fetch(board.url + path)).text();
    expect(await text("/search?q=brass")).toContain('<span class="warning">over</span>');
    expect(await text("/feed.xml?q=brass")).toMatch(/event · [^<]*over/);
  });

  it("ranks behind what is to come, unless the past is asked for", async () => {
    const first = async (more: string) =>
      (await call(board, `GET /search?q=brass+band${more}`)).body.data[0].title;
    expect(await first("")).toBe("Evening in the square");
    expect(await first("&before=2026-12-31")).toBe("Brass band concert");
  });
});
