import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectAtRest } from "../../src/cli/resting.ts";

describe("a process at rest", () => {
  let server: EventEmitter;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new EventEmitter();
  });
  afterEach(() => void vi.useRealTimers());

  it("collects twice, ten seconds after the last request, and again only after the next one", async () => {
    const collect = vi.fn();
    collectAtRest(server as Server, Promise.resolve(), collect);
    await vi.advanceTimersByTimeAsync(8_000);
    server.emit("request");
    await vi.advanceTimersByTimeAsync(8_000);
    expect(collect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(collect).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(collect).toHaveBeenCalledTimes(2);
    server.emit("request");
    await vi.advanceTimersByTimeAsync(11_000);
    expect(collect).toHaveBeenCalledTimes(4);
  });

  it("waits until the model is loaded, or is known to be absent", async () => {
    const collect = vi.fn();
    collectAtRest(server as Server, new Promise((_resolve, reject) => setTimeout(reject, 60_000)), collect);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(collect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(21_000);
    expect(collect).toHaveBeenCalledTimes(2);
  });
});
