import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Poller } from "../../src/jobs/poller.ts";

describe("a poller", () => {
  let looks: number[];
  let failures: unknown[];
  let batch: () => Promise<boolean>;
  let poller: Poller;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [looks, failures, batch] = [[], [], async () => false];
    const look = () => {
      looks.push(Date.now());
      return batch();
    };
    poller = new Poller(look, (error) => failures.push(error));
  });
  afterEach(async () => {
    const stopped = poller.stop();
    await vi.runAllTimersAsync();
    await stopped;
    vi.useRealTimers();
  });

  it("looks at once, then after pauses that double up to 3.2 s, and are short again once it is nudged", async () => {
    poller.start();
    await vi.advanceTimersByTimeAsync(9_400);
    expect(looks).toEqual([0, 400, 1_200, 2_800, 6_000, 9_200]);
    poller.nudge();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks.slice(6)).toEqual([9_400, 9_800]);
  });

  it("takes batch after batch while there may be more, and then looks again soon", async () => {
    poller.start();
    await vi.advanceTimersByTimeAsync(2_800);
    batch = async () => looks.length < 8;
    await vi.advanceTimersByTimeAsync(3_600);
    expect(looks.slice(4)).toEqual([6_000, 6_000, 6_000, 6_000, 6_400]);
  });

  it("runs one batch at a time, and once more where it was nudged meanwhile", async () => {
    batch = () => new Promise((resolve) => setTimeout(resolve, 100, false));
    poller.start();
    await vi.advanceTimersByTimeAsync(50);
    poller.nudge();
    poller.nudge();
    await vi.advanceTimersByTimeAsync(300);
    expect(looks).toEqual([0, 100]);
  });

  it("rests two seconds after a failure, and looks no more once it is stopped, which waits for the batch", async () => {
    batch = () => Promise.reject(new Error("broken"));
    poller.start();
    await vi.advanceTimersByTimeAsync(1_999);
    expect([looks, failures]).toEqual([[0], [new Error("broken")]]);
    let isDone = false;
    batch = () => new Promise((resolve) => setTimeout(resolve, 100, true)).then(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toEqual([0, 2_000]);
    const stopped = poller.stop().then(() => isDone);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await stopped, looks.length]).toEqual([true, 2]);
  });
});
