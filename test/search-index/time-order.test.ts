import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { KINDS } from "../../src/schema/post.ts";
import { Column } from "../../src/search-index/memory/columns.ts";
import { KindOrders } from "../../src/search-index/memory/kind-orders.ts";
import { TimeOrder } from "../../src/search-index/memory/time-order.ts";

/** So many that rows are merged several times on the way, and some stay apart. */
const ROWS = 6_000;

describe("the order of a time", () => {
  const random = seeded(3);
  const times = new Column(Float64Array, ROWS);
  const order = new TimeOrder(times);
  let expected: number[] = [];
  const walked = (from: number, step: 1 | -1) => {
    const rows: number[] = [];
    const walk = order.walk(from, step);
    for (let row = walk.next(); row >= 0; row = walk.next()) rows.push(row);
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

  it("is the same after a merge", () => {
    order.merge();
    expect(order.size).toBe(expected.length);
    isRight();
  });
});

describe("the orders of each kind", () => {
  const random = seeded(5);
  const [times, kinds] = [new Column(Float64Array, ROWS), new Column(Uint8Array, ROWS)];
  const [all, orders] = [new TimeOrder(times), new KindOrders(times, kinds)];
  const current = new Uint32Array(Math.ceil(ROWS / 32));
  const flip = (row: number) => {
    current[row >>> 5] = (current[row >>> 5] ?? 0) ^ (1 << (row & 31));
  };
  const isCurrent = (row: number) => ((current[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
  const put = (row: number) => {
    times.view[row] = Math.floor(random() * 1_000);
    kinds.view[row] = 1 << Math.floor(random() * KINDS.length);
    all.add(row);
  };
  const isRight = () => {
    orders.follow(current, all);
    for (const wanted of [null, 1, 0b101]) {
      const expected = Array.from({ length: ROWS }, (_, row) => row)
        .filter((row) => isCurrent(row) && (wanted === null || ((kinds.view[row] ?? 0) & wanted) !== 0))
        .sort((a, b) => (times.view[a] ?? 0) - (times.view[b] ?? 0) || a - b);
      for (const [step, from] of [
        [1, 300],
        [-1, 700],
      ] as const) {
        const walk = orders.walk(wanted, from, step);
        const rows: number[] = [];
        for (let row = walk.next(); row >= 0; row = walk.next()) rows.push(row);
        const reached = expected.filter((row) => step * ((times.view[row] ?? 0) - from) >= 0);
        expect(rows).toEqual(step === 1 ? reached : reached.toReversed());
      }
    }
  };

  it("hold the rows that may be shown, of many at once", () => {
    for (let row = 0; row < ROWS; row += 1) {
      put(row);
      if (random() < 0.9) flip(row);
    }
    isRight();
  });

  it("follow single ones, and those that change in time and kind", () => {
    for (let turn = 0; turn < 20; turn += 1) {
      for (let one = 0; one < 100; one += 1) flip(Math.floor(random() * ROWS));
      for (let one = 0; one < 20; one += 1) {
        const row = Math.floor(random() * ROWS);
        all.remove(row);
        orders.leave(row);
        put(row);
      }
      isRight();
    }
  });

  it("begin anew when rows have other numbers", () => {
    orders.clear();
    expect(orders.walk(null, Number.NEGATIVE_INFINITY, 1).next()).toBe(-1);
    isRight();
  });
});
