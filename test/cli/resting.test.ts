import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { getHeapSpaceStatistics } from "node:v8";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectAtRest } from "../../src/cli/resting.ts";

describe("a process at rest", () => {
  let server: EventEmitter;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new EventEmitter();
  });
  afterEach(() => void vi.useRealTimers());

  it("collects once, ten seconds after the last request, and again only after the next one", async () => {
    const collect = vi.fn();
    collectAtRest(server as Server, Promise.resolve(), collect);
    await vi.advanceTimersByTimeAsync(8_000);
    server.emit("request");
    await vi.advanceTimersByTimeAsync(8_000);
    expect(collect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(collect).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(collect).toHaveBeenCalledTimes(1);
    server.emit("request");
    await vi.advanceTimersByTimeAsync(11_000);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it("waits until the model is loaded, or is known to be absent", async () => {
    const collect = vi.fn();
    collectAtRest(server as Server, new Promise((_resolve, reject) => setTimeout(reject, 60_000)), collect);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(collect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(21_000);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it("gives back V8's room for new objects", async () => {
    let kept: object[] = [];
    for (let n = 0; n < 4_000_000; n += 1) {
      if (n % 100_000 === 0) kept = [];
      kept.push({ n });
    }
    expect(newSpaceBytes()).toBeGreaterThan(8 << 20);
    collectAtRest(server as Server, Promise.resolve());
    await vi.advanceTimersByTimeAsync(11_000);
    vi.useRealTimers();
    await expect.poll(newSpaceBytes, { timeout: 5_000 }).toBeLessThan(4 << 20);
  });
});

const newSpaceBytes = () =>
  getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.physical_space_size ?? 0;
