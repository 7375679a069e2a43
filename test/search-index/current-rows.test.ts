import { describe, expect, it } from "vitest";
import { CurrentRows } from "../../src/search-index/memory/current-rows.ts";
import { randomOf } from "../support/search/embedded-index.ts";

/** More than are put in order at a time. */
const ROWS = 10_000;

describe("the rows that a search may show", () => {
  it("are those that have not ended, whatever changes, while time goes on and back", () => {
    const random = randomOf(5);
    const some = (count: number) => Math.floor(random() * count);
    const current = new CurrentRows();
    const ends: (number | null)[] = [];
    const put = (row: number, end: number | null) => {
      ends[row] = end;
      current.put(row, end);
    };
    // Many end at the same moment.
    for (let row = 0; row < ROWS; row += 1) put(row, some(10) === 0 ? null : some(2_000));
    let looks = 0;
    const endOf = (row: number) => {
      looks += 1;
      return ends[row] ?? null;
    };
    for (let round = 0, now = 0; round < 1_000; round += 1) {
      now += round % 97 === 96 ? -some(50) : some(4);
      if (round % 5 === 0) put(some(ROWS), now + some(300));
      if (round % 7 === 0) put(some(ROWS), null);
      if (round % 11 === 0) put(ends.length, now + some(1_500));
      if (round === 500) current.clear();
      const bits = current.at(now, ends.length, endOf);
      const shown = ends.flatMap((_, row) =>
        ((bits[row >>> 5] ?? 0) & (1 << (row & 31))) === 0 ? [] : [row],
      );
      expect(shown).toEqual(ends.flatMap((end, row) => (end !== null && end > now ? [row] : [])));
    }
    // Each round some end. Time went back ten times; each time, and some three times besides, all rows were looked at.
    expect(looks).toBeLessThan(50 * ROWS);
  });
});
