import { describe, expect, it } from "vitest";
import { CounterBuffer } from "../../src/domain/board/usage.ts";

describe("counts in memory", () => {
  it("are written once, together, and not before they are asked for", async () => {
    const written: [string, number][][] = [];
    const buffer = new CounterBuffer(async (counts) => void written.push([...counts]));
    for (const name of ["a", "b", "a"]) buffer.add(name);
    expect(written).toEqual([]);
    await buffer.flush();
    await buffer.flush();
    expect(written).toEqual([
      [
        ["a", 2],
        ["b", 1],
      ],
    ]);
  });

  it("are awaited, even while another flush is writing them", async () => {
    const order: string[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const buffer = new CounterBuffer(async (counts) => {
      if (counts.has("slow")) await opened;
      order.push(...counts.keys());
    });
    buffer.add("slow");
    const first = buffer.flush();
    buffer.add("quick");
    const both = buffer.flush().then(() => order.push("both"));
    const none = buffer.flush().then(() => order.push("none"));
    await new Promise(setImmediate);
    expect(order).toEqual(["quick"]);
    open();
    await Promise.all([first, both, none]);
    expect(order.slice(0, 2)).toEqual(["quick", "slow"]);
    expect(order).toHaveLength(4);
  });

  it("that could not be written fail the flush that wrote them, and keep no others from being written", async () => {
    let fails = true;
    const buffer = new CounterBuffer(async () => {
      if (fails) throw new Error("away");
    });
    buffer.add("a");
    await expect(buffer.flush()).rejects.toThrow("away");
    fails = false;
    buffer.add("b");
    await buffer.flush();
  });
});
