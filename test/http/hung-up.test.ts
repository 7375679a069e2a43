import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startBoard } from "../support/boards/board.ts";

describe("searches over REST", () => {
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
