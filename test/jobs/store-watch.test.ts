import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchStore } from "../../src/jobs/store-watch.ts";
import type { Store } from "../../src/ports/store/index.ts";

describe("the watch on the store", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells each second whether it can be written, also where it does not answer, until it ends", async () => {
    const told: unknown[] = [];
    const answers = [{ unwritable: null }, { unwritable: "full" }];
    const ping = async () => answers.shift() ?? Promise.reject("gone");
    const end = watchStore({ ping } as unknown as Store, {
      available: () => told.push("available"),
      unavailable: (why) => told.push(why),
    });
    await vi.advanceTimersByTimeAsync(3_999);
    expect(told).toEqual(["available", "full", "gone"]);
    vi.advanceTimersByTime(1);
    end();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told).toHaveLength(3);
  });
});
