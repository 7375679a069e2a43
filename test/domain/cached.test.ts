import { describe, expect, it } from "vitest";
import { Cached } from "../../src/domain/board/cached.ts";

/** A reading that ends when the test says so. */
function slowReader() {
  const waiting: { at: number; done: (value: number) => void; failed: (error: Error) => void }[] = [];
  const read = (at: number) =>
    new Promise<number>((done, failed) => {
      waiting.push({ at, done, failed });
    });
  return { read, waiting };
}

describe("Cached", () => {
  it("reads once for all who ask, and not again while it is young", async () => {
    const { read, waiting } = slowReader();
    const cached = new Cached(read, 10);
    const asked = [cached.get(0), cached.get(1)];
    waiting[0]?.done(7);
    expect(await Promise.all(asked)).toEqual([7, 7]);
    expect(await cached.get(4)).toBe(7);
    expect(waiting).toHaveLength(1);
  });

  it("reads a newer one from half its age on, and keeps nobody waiting for it", async () => {
    const { read, waiting } = slowReader();
    const cached = new Cached(read, 10);
    const first = cached.get(0);
    waiting[0]?.done(7);
    await first;
    expect(await cached.get(5)).toBe(7);
    expect(await cached.get(9)).toBe(7);
    expect(waiting.map(({ at }) => at)).toEqual([0, 5]);
    waiting[1]?.done(8);
    await new Promise(setImmediate);
    expect(await cached.get(9)).toBe(8);
  });

  it("waits when the kept one is too old, and only then reports a failure", async () => {
    const { read, waiting } = slowReader();
    const cached = new Cached(read, 10);
    const first = cached.get(0);
    waiting[0]?.done(7);
    await first;
    expect(await cached.get(6)).toBe(7);
    waiting[1]?.failed(new Error("away"));
    await new Promise(setImmediate);
    expect(await cached.get(7)).toBe(7);
    const late = cached.get(10);
    waiting[2]?.failed(new Error("still away"));
    await expect(late).rejects.toThrow("still away");
    const again = cached.get(11);
    waiting[3]?.done(9);
    expect(await again).toBe(9);
  });
});
