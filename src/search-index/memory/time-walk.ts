import type { Column, Numbers } from "./columns.ts";

/** Rows in the order of a time, and which of them comes next; `at` equals `end` when none does. */
export interface Run {
  rows: Uint32Array;
  at: number;
  end: number;
}

/** Goes through several runs of rows as through one, forward in time or back. It holds until a row changes. */
export class TimeWalk {
  readonly #times: Numbers;
  readonly #runs: readonly Run[];
  /** 1 forward, -1 back. */
  readonly #step: 1 | -1;

  constructor(times: Column<Numbers>, runs: readonly Run[], step: 1 | -1) {
    this.#times = times.view;
    this.#runs = runs.filter(({ at, end }) => at !== end);
    this.#step = step;
  }

  /** The next row; equal times come by row, in the same direction. @returns -1 behind the last */
  next(): number {
    const step = this.#step;
    let first: Run | null = null;
    let firstRow = -1;
    let firstTime = 0;
    for (const run of this.#runs) {
      if (run.at === run.end) continue;
      const row = run.rows[run.at] ?? 0;
      const time = this.#times[row] ?? 0;
      const sooner = step * (time - firstTime);
      if (first !== null && (sooner > 0 || (sooner === 0 && step * (row - firstRow) > 0))) continue;
      first = run;
      firstRow = row;
      firstTime = time;
    }
    if (first !== null) first.at += step;
    return firstRow;
  }
}
