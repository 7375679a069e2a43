import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Queues } from "../../src/adapters/calls/queues.ts";

/** Enters a call, and notes when it begins. */
async function call(queues: Queues, address: string, begun: string[], name: string) {
  const leave = await queues.enter(address);
  begun.push(name);
  return leave;
}

const turns = async (n: number) => {
  for (let i = 0; i < n; i += 1) await turn();
};

describe("calls of one address", () => {
  it("are under way four at a time; the others wait in line, and each that ends lets one begin", async () => {
    const queues = new Queues();
    const begun: string[] = [];
    const calls = ["a", "b", "c", "d", "e", "f"].map((name) => call(queues, "one", begun, name));
    await turns(20);
    expect(begun).toEqual(["a", "b", "c", "d"]);
    const leave = await calls[1];
    leave?.();
    // A call ends once, however often that is said.
    leave?.();
    await turns(20);
    expect(begun).toEqual(["a", "b", "c", "d", "e"]);
    (await calls[0])?.();
    await turns(20);
    expect(begun).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("do not keep those of another waiting", async () => {
    const queues = new Queues();
    const begun: string[] = [];
    for (let n = 0; n < 40; n += 1) void call(queues, "one", begun, `one ${n}`);
    void call(queues, "two", begun, "two");
    await turns(20);
    expect(begun).toEqual(["one 0", "one 1", "one 2", "one 3", "two"]);
  });

  it("begin each in a turn of its own, so that others are answered in between", async () => {
    const queues = new Queues();
    const begun: string[] = [];
    for (const address of ["one", "two", "three"]) void call(queues, address, begun, address);
    const seen: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await turn();
      seen.push(begun.length);
    }
    expect(seen.every((count, at) => count - (seen[at - 1] ?? 0) <= 1)).toBe(true);
    expect(seen.at(-1)).toBe(3);
  });
});
