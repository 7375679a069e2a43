import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { Column } from "../../src/search-index/memory/columns.ts";
import { TimeOrder } from "../../src/search-index/memory/time-order.ts";

/** So many that rows are merged several times on the way, and some stay apart. */
const ROWS = 6_000;

describe("the order of a time", () => {
  const random = seeded(3);
  const times = new Column(Float64Array, ROWS);
  const order = new TimeOrder(times);
  let expected: number[] = [];
  const take = () => {
    const rows: number[] = [];
    return { rows, each: (row: number) => rows.push(row) > 0 };
  };
  const sort = () => expected.sort((a, b) => (times.view[a] ?? 0) - (times.view[b] ?? 0) || a - b);
  const forward = (from: number) => {
    const { rows, each } = take();
    order.forward(from, each);
    return rows;
  };
  const backward = (until: number) => {
    const { rows, each } = take();
    order.backward(until, each);
    return rows;
  };
  const isRight = () => {
    expect(forward(Number.NEGATIVE_INFINITY)).toEqual(expected);
    expect(backward(Number.POSITIVE_INFINITY)).toEqual(expected.toReversed());
    expect(order.latest()).toBe(times.view[expected.at(-1) ?? 0]);
    const middle = 500;
    expect(forward(middle)).toEqual(expected.filter((row) => (times.view[row] ?? 0) >= middle));
    expect(backward(middle)).toEqual(expected.filter((row) => (times.view[row] ?? 0) <= middle).toReversed());
  };

  it("takes rows in any order, many of them at equal times", () => {
    for (let row = 0; row < ROWS; row += 1) {
      times.view[row] = Math.floor(random() * 1_000);
      order.add(row);
      expected.push(row);
    }
    sort();
    isRight();
  });

  it("forgets rows, and lets others change their time", () => {
    for (let row = 0; row < ROWS; row += 1) {
      const chance = random();
      if (chance > 0.4) continue;
      order.remove(row);
      if (chance < 0.2) expected = expected.filter((one) => one !== row);
      else {
        times.view[row] = Math.floor(random() * 1_000);
        order.add(row);
      }
    }
    sort();
    isRight();
  });

  it("loses the latest, and knows the one before", () => {
    for (let left = 0; left < 200; left += 1) {
      order.remove(expected.pop() ?? 0);
      expect(order.latest()).toBe(times.view[expected.at(-1) ?? 0]);
    }
    isRight();
  });

  it("is the same after a merge", () => {
    order.merge();
    expect(order.size).toBe(expected.length);
    isRight();
  });
});
