import { describe, expect, it, vi } from "vitest";
import { Cursors } from "../../../src/domain/cursors.ts";
import { RelevanceWalks } from "../../../src/domain/search/walks.ts";
import { startBoard } from "../../support/boards/board.ts";
import { call, eventually } from "../../support/boards/client.ts";
import { idsFor } from "../../support/boards/questions.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { found, prose, walk, write } from "../../support/boards/writing.ts";
import { question, useIndexFile } from "../../support/search/open-index.ts";
import { anEntry, aPost } from "../../support/search/rows.ts";

const MINUTE_MS = 60_000;

describe("walks by relevance", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  let tags = 0;
  const idsOf = (posts: { id: string }[]) => posts.map((post) => post.id);
  const add = (tag: string, title: string) => write(board, author.key, { title, tags: [tag] });
  /** Posts under a new tag, each with "walrus" more often than the one before. */
  const seed = async (count: number): Promise<{ path: string; tag: string; ids: string[] }> => {
    tags += 1;
    const tag = `herd${tags}`;
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      now += MINUTE_MS;
      ids.push((await add(tag, `walrus ${"walrus ".repeat(n)}and ${prose().slice(0, 60)}`)).id);
    }
    now += 1_000;
    return { path: `/search?q=walrus&tags=${tag}`, tag, ids };
  };
  const inOther = (tag: string, count: number) =>
    eventually(
      () => found(other, `/search?tags=${tag}&limit=100`),
      (posts) => posts.length === count,
    );

  const board = useTestBoard({}, { clock: () => now });
  const author = usePublisher(board);
  const other = useTestBoard({}, () => ({ dataDir: board.dataDir, clock: () => now }));
  const openIndex = useIndexFile();

  it("write nothing for a first page, and save their ranking once with the second", async () => {
    const { path } = await seed(9);
    const save = vi.spyOn(board.board.store.rankings, "save");
    const first = await call(board, `GET ${path}&limit=2`);
    expect(first.body.next_cursor).not.toBeNull();
    expect(save).toHaveBeenCalledTimes(0);
    await walk(board, `${path}&limit=2&cursor=${first.body.next_cursor}`);
    expect(save).toHaveBeenCalledTimes(1);
    save.mockRestore();
  });

  it("are good for an hour, and 50 minutes however often the first page was asked for", async () => {
    const { path } = await seed(4);
    for (let minutes = 0; minutes < 70; minutes += 9) {
      const { body } = await call(board, `GET ${path}&limit=2`);
      const asked = now;
      now += 49 * MINUTE_MS;
      expect((await call(board, `GET ${path}&limit=2&cursor=${body.next_cursor}`)).status).toBe(200);
      now = asked + 9 * MINUTE_MS;
    }
    now += 10 * MINUTE_MS;
    const { body } = await call(board, `GET ${path}&limit=2`);
    const later = async (ms: number) => {
      now += ms;
      return (await call(board, `GET ${path}&limit=2&cursor=${body.next_cursor}`)).body;
    };
    expect((await later(60 * MINUTE_MS - 1)).data).toHaveLength(2);
    expect((await later(1)).error.code).toBe("invalid_cursor");
  });

  it("end after ten thousand posts", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let n = 0; n < 10_001; n += 1) index.put(anEntry({ id: `p${10_000 + n}`, title: "Okapi" }));
    });
    const { posts, rankings } = board.board.store;
    const cursors = new Cursors(Buffer.alloc(32));
    const walks = new RelevanceWalks({ index: opened.index, posts, rankings, cursors });
    const asked = {
      list: "okapi",
      question: question({ q: "okapi" }),
      rerank: false,
      lifts: [],
      bounds: null,
    };
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await walks.page(asked, { cursor, limit: 100 }, now);
      for (const { id } of page.found) seen.add(id);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.size).toBe(10_000);
  });

  it("begin with the same cursor for ten minutes, and then with a new one", async () => {
    const { path } = await seed(3);
    const cursor = async () => (await call(board, `GET ${path}&limit=2`)).body.next_cursor;
    const first = await cursor();
    now += 10 * MINUTE_MS - 1;
    expect(await cursor()).toBe(first);
    now += 1;
    expect(await cursor()).not.toBe(first);
  });

  it("go on in another process past posts whose ids end in the same three letters", async () => {
    const { store, index } = board.board;
    const ids = [0, 1, 2].map((n) => `p_0000${n}abc`);
    for (const id of ids) {
      const post = {
        publisherId: author.id,
        title: "Okapi",
        createdAt: now,
        expiresAt: now + 60 * MINUTE_MS,
      };
      await store.posts.insert(aPost(id, post));
    }
    expect(await idsFor(index, "okapi")).toEqual(ids);
    const { body } = await call(board, "GET /search?q=okapi&limit=1");
    const rest = await walk(other, `/search?q=okapi&limit=1&cursor=${body.next_cursor}`);
    expect(idsOf([...body.data, ...rest])).toEqual(ids);
  });

  it("go on in another process that ranks anew, while posts arrive, change and go", async () => {
    const { path, tag, ids } = await seed(12);
    await inOther(tag, 12);
    const page = await call(board, `GET ${path}&limit=4`);
    const shown = idsOf(page.body.data);
    const unseen = ids.filter((id) => !shown.includes(id));
    // The best become the worst and the worst the best; a shown and an unseen post are removed; a new one would rank first.
    for (const id of shown.slice(1)) {
      await call(board, `PATCH /posts/${id}`, { title: "fish", body: `walrus ${prose()}` }, author);
    }
    const [lifted = "", gone = ""] = unseen;
    await call(board, `PATCH /posts/${lifted}`, { title: "walrus ".repeat(25), body: "walrus" }, author);
    await call(board, `DELETE /posts/${shown[0]}`, undefined, author);
    await call(board, `DELETE /posts/${gone}`, undefined, author);
    now += 1_000;
    await add(tag, "walrus walrus walrus walrus walrus walrus");
    await inOther(tag, 11);
    const rest = await walk(other, `${path}&limit=3&cursor=${page.body.next_cursor}`);
    expect(idsOf(rest).sort()).toEqual(unseen.filter((id) => id !== gone).sort());
    const scores = [...page.body.data, ...rest].map((post) => post.relevance);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("go to and fro between processes, and over a restart", async () => {
    const { path, tag, ids } = await seed(11);
    await inOther(tag, 11);
    const boards = [board, other];
    const seen: string[] = [];
    let cursor = "";
    for (let n = 0; n === 0 || cursor !== ""; n += 1) {
      const { body } = await call(boards[n % 2] ?? board, `GET ${path}&limit=2${cursor}`);
      seen.push(...idsOf(body.data));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
      if (n === 2) await call(board, `PATCH /posts/${seen[0]}`, { body: `walrus ${prose()}` }, author);
      if (n !== 3) continue;
      await other.stop();
      Object.assign(other, await startBoard({}, { dataDir: board.dataDir, clock: () => now }));
    }
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it("carry relevance in every order, and none without words", async () => {
    const { path, tag } = await seed(3);
    await add(tag, "walrus and penguin");
    await add(tag, "penguin on a walk");
    const both = path.replace("q=walrus", "q=walrus+penguin");
    const best = await found(board, both);
    expect(best[0].title).toBe("walrus and penguin");
    expect(best[0].relevance).toBeGreaterThan(best[4].relevance);
    const relevance = Object.fromEntries(best.map((post) => [post.id, post.relevance]));
    for (const sort of ["relevance", "newest", "soonest"]) {
      const posts = await walk(board, `${both}&sort=${sort}&limit=2`);
      expect(Object.fromEntries(posts.map((post) => [post.id, post.relevance])), sort).toEqual(relevance);
    }
    const [post] = await found(board, `${path.replace("q=walrus", "q=-fish")}&sort=newest`);
    expect(post).not.toHaveProperty("relevance");
  });
});
