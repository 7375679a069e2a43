import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SharedValue } from "../../src/domain/board/shared-value.ts";
import type { Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { useFolderForEach } from "../support/run/temporary.ts";

describe("a value that is costly to read", () => {
  const folder = useFolderForEach();
  let stores: Store[];
  let elapsedMs: number;

  beforeEach(() => {
    stores = [];
    elapsedMs = 0;
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  /** The value in one process of a board, of at most 10 ms age. Each read ends when the test says so. */
  async function inAProcess() {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    stores.push(store);
    const reads: { at: number; done: (value: number, ms?: number) => void; failed: (e: Error) => void }[] =
      [];
    const read = (at: number) =>
      new Promise<number>((resolve, failed) => {
        const done = (value: number, ms = 0) => {
          elapsedMs += ms;
          resolve(value);
        };
        reads.push({ at, done, failed });
      });
    const shared = new SharedValue({ name: "figure", maxAgeMs: 10, read, store, elapsedMs: () => elapsedMs });
    const nth = (n: number) => expect.poll(() => reads[n]).toBeDefined();
    /** Asks, ends the read this asks for, and resolves to the answer. */
    const counted = async (now: number, value: number, ms?: number) => {
      const n = reads.length;
      const asked = shared.get(now);
      await nth(n);
      reads[n]?.done(value, ms);
      return asked;
    };
    return { shared, reads, nth, counted };
  }

  it("is read once for all who ask, and not again while it is young", async () => {
    const { shared, reads, nth } = await inAProcess();
    const asked = [shared.get(0), shared.get(1)];
    await nth(0);
    reads[0]?.done(7);
    expect(await Promise.all(asked)).toEqual([7, 7]);
    expect(await shared.get(4)).toBe(7);
    expect(reads).toHaveLength(1);
  });

  it("is read again from half its age on, and keeps nobody waiting for that", async () => {
    const { shared, reads, nth, counted } = await inAProcess();
    await counted(0, 7);
    expect(await shared.get(5)).toBe(7);
    expect(await shared.get(9)).toBe(7);
    await nth(1);
    expect(reads.map(({ at }) => at)).toEqual([0, 5]);
    reads[1]?.done(8);
    await expect.poll(() => shared.get(9)).toBe(8);
  });

  it("is waited for when the kept one is too old; only then a failure reaches the caller", async () => {
    const { shared, reads, nth, counted } = await inAProcess();
    await counted(0, 7);
    expect(await shared.get(6)).toBe(7);
    await nth(1);
    reads[1]?.failed(new Error("away"));
    await new Promise(setImmediate);
    expect(await shared.get(7)).toBe(7);
    await nth(2);
    const late = shared.get(10);
    reads[2]?.failed(new Error("still away"));
    await expect(late).rejects.toThrow("still away");
    void shared.get(11);
    await nth(3);
    // A caller waits 250 ms, which begin only now.
    const waited = shared.get(12);
    reads[3]?.done(9);
    expect(await waited).toBe(9);
  });

  describe("when reading takes long", () => {
    it("is read by one process for all, renewed after 20 times its reading time, and nobody waits for that", async () => {
      const [one, other] = [await inAProcess(), await inAProcess()];
      await one.counted(0, 7, 100);
      for (const at of [1, 1999]) expect(await other.shared.get(at)).toBe(7);
      expect(other.reads).toHaveLength(0);
      expect(await other.shared.get(2000)).toBe(7);
      await other.nth(0);
      expect(await one.shared.get(2001)).toBe(7);
      other.reads[0]?.done(8, 100);
      await expect.poll(() => other.shared.get(2001)).toBe(8);
      await expect.poll(() => one.shared.get(3000)).toBe(8);
      expect(one.reads).toHaveLength(1);
    });

    it("is so from 51 ms on: what takes less, each process reads", async () => {
      const [one, other, third] = [await inAProcess(), await inAProcess(), await inAProcess()];
      await one.counted(0, 7, 50);
      expect(await other.counted(1, 8, 51)).toBe(8);
      expect(await third.shared.get(2)).toBe(8);
      expect(third.reads).toHaveLength(0);
    });

    it("is renewed after a restart, and given however old when that takes long", async () => {
      await (await inAProcess()).counted(0, 7, 100);
      const { shared, nth } = await inAProcess();
      expect(await shared.get(1_000_000)).toBe(7);
      await nth(0);
      const third = await inAProcess();
      void third.counted(2_000_000, 8, 100);
      await expect.poll(() => third.shared.get(2_000_000)).toBe(8);
    });

    it.each([
      ["a minute", 100, 60_000],
      ["three times what reading takes", 30_000, 90_000],
    ])("is read by another process %s after the one that was reading is gone", async (_while, ms, keptMs) => {
      const [one, other] = [await inAProcess(), await inAProcess()];
      await one.counted(0, 7, ms);
      const due = 20 * ms;
      void one.shared.get(due);
      await one.nth(1);
      // Each look goes on behind the answer.
      for (const now of [due, due + keptMs - 1]) {
        expect(await other.shared.get(now)).toBe(7);
        for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      }
      expect(other.reads).toEqual([]);
      await expect
        .poll(async () => [await other.shared.get(due + keptMs + 5), other.reads.length])
        .toEqual([7, 1]);
    });
  });
});
