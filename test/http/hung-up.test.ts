import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type { Ask, Question } from "../../src/ports/search-index.ts";
import { startBoard } from "../support/boards/board.ts";

describe("searches over REST", () => {
  it("are not relaxed for advice when their callers have hung up, and stand in the log with 499", async () => {
    const board = await startBoard({}, { idle: true });
    const { index } = board.board;
    const asked = index.ask;
    const caller = new AbortController();
    let atCount = async (_: AbortSignal) => {};
    const waiting: Ask = async (what, ...of) => {
      if (what === "count") await atCount((of[0] as Question).gone as AbortSignal);
      return asked(what, ...of);
    };
    const spy = vi.spyOn(index, "ask").mockImplementation(waiting);
    const counts = () => spy.mock.calls.filter(([what]) => what === "count").length;
    const ask = () =>
      fetch(`${board.api}/search?q=bike&kind=offer&tags=rare&verified=true`, { signal: caller.signal });
    await ask();
    const relaxed = counts();
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
    expect(counts()).toBe(1 + relaxed);
    const statuses = () =>
      board.logs.flatMap((line) => /"path":"\/api\/v1\/search","status":(\d+)/.exec(line)?.[1] ?? []).sort();
    await expect.poll(statuses).toEqual(["200", "200", "499"]);
    await board.stop();
  });
});
