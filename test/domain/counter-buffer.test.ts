import { describe, expect, it } from "vitest";
import { Counted } from "../../src/domain/board/counter-buffer.ts";

describe("counts in memory", () => {
  it("are written once, together, and not before they are asked for", async () => {
    const written: [string, number][][] = [];
    const counted = new Counted(async (counts) => void written.push([...counts]));
    for (const name of ["a", "b", "a"]) counted.add(name);
    expect(written).toEqual([]);
    await counted.flush();
    await counted.flush();
    expect(written).toEqual([
      [
        ["a", 2],
        ["b", 1],
      ],
    ]);
  });

  it("are awaited too where another flush is writing them", async () => {
    const order: string[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const counted = new Counted(async (counts) => {
      if (counts.has("slow")) await opened;
      order.push(...counts.keys());
    });
    counted.add("slow");
    const first = counted.flush();
    counted.add("quick");
    const both = counted.flush().then(() => order.push("both"));
    const none = counted.flush().then(() => order.push("none"));
    await new Promise(setImmediate);
    expect(order).toEqual(["quick"]);
    open();
    await Promise.all([first, both, none]);
    expect(order.slice(0, 2)).toEqual(["quick", "slow"]);
    expect(order).toHaveLength(4);
  });

  it("that could not be written are told to whoever wrote them, and keep nobody from writing others", async () => {
    let fails = true;
    const counted = new Counted(async () => {
      if (fails) throw new Error("away");
    });
    counted.add("a");
    await expect(counted.flush()).rejects.toThrow("away");
    fails = false;
    counted.add("b");
    await counted.flush();
  });
});
