import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { Column } from "../../src/search-index/memory/columns.ts";
import { TimeOrder } from "../../src/search-index/memory/time-order.ts";

const ROWS = 2_000;

describe("the order of a time", () => {
  const random = seeded(3);
  const times = new Column(Float64Array, ROWS);
  const order = new TimeOrder(times);
  let expected: number[] = [];
  const walked = (from: number, step: 1 | -1) => {
    const rows: number[] = [];
    const walk = order.walk(from, step);
    for (let row = walk(); row >= 0; row = walk()) rows.push(row);
    return rows;
  };
  const forward = (from: number) => walked(from, 1);
  const backward = (until: number) => walked(until, -1);
  const sort = () => expected.sort((a, b) => (times.view[a] ?? 0) - (times.view[b] ?? 0) || a - b);
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
});
