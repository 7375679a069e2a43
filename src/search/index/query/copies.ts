import type { PostMemory } from "../memory/index.ts";
import { FIELD } from "../memory/names.ts";
import { MARK } from "../memory/rows.ts";

/** One of the rows that share it stands for the others. */
type Shared = "source" | "series";

/**
 * Groups posts that are one thing, of which one is shown: of several publishers with one source the best, then the
 * first-hand one, then the oldest; of the dates of one series the next, or the last where all are over.
 */
export class Copies {
  readonly #memory: PostMemory;
  readonly #shared: Shared;
  readonly #matches: (row: number) => boolean;
  readonly #compare: (a: number, b: number) => number;
  /** First rows are kept by source or series: a group is looked through once for a question, however large it is. */
  readonly #firsts = new Map<number, number>();

  /**
   * @param matches  true for rows that answer the question; a row that does not neither hides nor is hidden
   * @param compare  below 0 where the first of two rows stands for the second
   */
  constructor(
    memory: PostMemory,
    shared: Shared,
    matches: (row: number) => boolean,
    compare: (a: number, b: number) => number,
  ) {
    this.#memory = memory;
    this.#shared = shared;
    this.#matches = matches;
    this.#compare = compare;
  }

  /** True when another matching post stands for this one. */
  isCopy(row: number): boolean {
    if (!hasDuplicates(this.#memory, this.#shared, row)) return false;
    const first = this.#firstWith(this.#memory.rows[this.#shared].view[row] ?? 0);
    return first >= 0 && this.#isOther(first, row) && this.#compare(first, row) < 0;
  }

  /** Finds the match that stands for all of a group, or -1. */
  #firstWith(group: number): number {
    const known = this.#firsts.get(group);
    if (known !== undefined) return known;
    let best = -1;
    this.#memory.lists.each(group - 1, (row) => {
      if ((best < 0 || this.#compare(row, best) < 0) && this.#matches(row)) best = row;
    });
    this.#firsts.set(group, best);
    return best;
  }

  /** Lists the other matching posts that share it, in order. */
  of(row: number): number[] {
    const others: number[] = [];
    if (!hasDuplicates(this.#memory, this.#shared, row)) return others;
    this.#memory.lists.each((this.#memory.rows[this.#shared].view[row] ?? 0) - 1, (other) => {
      if (this.#isOther(other, row) && this.#matches(other)) others.push(other);
    });
    return others.sort(this.#compare);
  }

  /** Nobody posts a copy of a post of their own. */
  #isOther(a: number, b: number): boolean {
    const publishers = this.#memory.rows.publisher.view;
    return this.#shared === "series" ? a !== b : publishers[a] !== publishers[b];
  }
}

/** Puts the best, then the first-hand one, then the oldest first. @param score  how well a row answers */
export function byStanding({ rows }: PostMemory, score: (row: number) => number) {
  const relayed = (row: number) => (rows.marks.view[row] ?? 0) & MARK.syndicated;
  return (a: number, b: number): number =>
    score(b) - score(a) || relayed(a) - relayed(b) || compareBy(rows, "createdAt", a, b);
}

/** Puts what is not over first, the next first of it, and the last first of what is over. */
export function byNextDate({ rows }: PostMemory, now: number) {
  const isOver = (row: number) => Number((rows.windowEnd.view[row] ?? 0) < now);
  return (a: number, b: number): number => {
    const order = compareBy(rows, "windowStart", a, b);
    return isOver(a) - isOver(b) || (isOver(a) === 1 ? -order : order);
  };
}

export function compareBy(
  rows: PostMemory["rows"],
  time: "createdAt" | "windowStart",
  a: number,
  b: number,
): number {
  const difference = (rows[time].view[a] ?? 0) - (rows[time].view[b] ?? 0);
  return difference || (rows.idOf(a) < rows.idOf(b) ? -1 : 1);
}

/** True when other rows have the same. */
export function hasDuplicates({ rows, names }: PostMemory, shared: Shared, row: number): boolean {
  const group = rows[shared].view[row] ?? 0;
  return group !== 0 && names.get(group - 1, FIELD.count) > 1;
}
