import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DIMENSION, fillBoard } from "../../bench/support/board-fill.ts";
import { Abandoned } from "../../src/ports/search-index.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { startBoard } from "../support/boards/board.ts";
import { call } from "../support/boards/client.ts";

/** Enough that a thread searches them. */
const POSTS = 30_500;
const CALLERS = 100;

describe("searches over REST", () => {
  it("are taken back from the search thread when their callers hang up", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "board-"));
    const index = new EmbeddedIndex({ modelId: null, dimension: DIMENSION });
    const store = await openSqlite(`sqlite:${join(dataDir, "board.db")}`, { index });
    const now = Date.now();
    await fillBoard(store, { posts: POSTS, now });
    await store.close();
    const board = await startBoard({}, { dataDir, idle: true });

    const search = "GET /search?q=road bike with a good saddle for the weekend";
    const before = await call(board, search);
    expect(before.body.data.length).toBeGreaterThan(0);

    const callers = Array.from({ length: CALLERS }, () => new AbortController());
    const { index: asked } = board.board;
    const rank = asked.rank.bind(asked);
    const rankings: Promise<unknown>[] = [];
    const questions: (() => void)[] = [];
    // The questions wait for one another, and are asked in one go before the callers hang up: however fast a search
    // is, most of them still wait for the thread then.
    const spy = vi.spyOn(asked, "rank").mockImplementation((...question) => {
      const ranking = new Promise<void>((ask) => questions.push(ask)).then(() => rank(...question));
      rankings.push(ranking);
      if (questions.length === CALLERS) {
        for (const ask of questions) ask();
        setImmediate(() => {
          for (const caller of callers) caller.abort();
        });
      }
      return ranking;
    });
    const path = search.replace("GET ", "");
    await Promise.allSettled(callers.map(({ signal }) => fetch(`${board.api}${path}`, { signal })));
    const ends = await Promise.allSettled(rankings);
    spy.mockRestore();
    const abandoned = ends.filter((end) => end.status === "rejected" && end.reason instanceof Abandoned);
    // Some were answered before the thread heard of it.
    expect(abandoned.length).toBeGreaterThan(CALLERS / 2);

    expect((await call(board, search)).body.data).toEqual(before.body.data);
    await board.stop();
    await rm(dataDir, { recursive: true });
  });

  it("are not relaxed for advice when their callers have hung up", async () => {
    const board = await startBoard({}, { idle: true });
    const { index: asked } = board.board;
    const count = asked.count.bind(asked);
    const caller = new AbortController();
    let atCount = async (_: AbortSignal) => {};
    const spy = vi.spyOn(asked, "count").mockImplementation(async (question) => {
      await atCount(question.gone as AbortSignal);
      return count(question);
    });
    const ask = () =>
      fetch(`${board.api}/search?q=bike&kind=offer&tags=rare&verified=true`, { signal: caller.signal });
    await ask();
    const relaxed = spy.mock.calls.length;
    expect(relaxed).toBeGreaterThan(3);

    spy.mockClear();
    atCount = async (gone) => {
      caller.abort();
      await once(gone, "abort");
    };
    await expect(ask()).rejects.toThrow("aborted");
    // The search whose caller is gone ends before the next one of the same board.
    atCount = async () => {};
    await fetch(`${board.api}/search?q=bike&kind=offer&tags=rare&verified=true`);
    expect(spy.mock.calls.length).toBe(1 + relaxed);
    await board.stop();
  });
});
