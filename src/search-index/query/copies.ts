import type { PostMemory } from "../memory/index.ts";
import { FIELD } from "../memory/names.ts";
import { MARK } from "../memory/rows.ts";

/** Posts of several publishers with one source, of which one is shown: the best, then the first-hand one, then the oldest. */
export class Copies {
  readonly #memory: PostMemory;
  readonly #matches: (row: number) => boolean;
  readonly #score: (row: number) => number;
  /** By source: a group is looked through once for a question, however large it is. */
  readonly #firsts = new Map<number, number>();

  /**
   * @param matches  true for rows that answer the question; a copy that does not neither hides nor is hidden
   * @param score  how well a row answers; without it all answer alike
   */
  constructor(
    memory: PostMemory,
    matches: (row: number) => boolean,
    score: (row: number) => number = () => 0,
  ) {
    this.#memory = memory;
    this.#matches = matches;
    this.#score = score;
  }

  /** True when a matching post of another publisher with the same source stands for this one. */
  isCopy(row: number): boolean {
    if (!hasDuplicates(this.#memory, row)) return false;
    const first = this.#firstWith(this.#memory.rows.source.view[row] ?? 0);
    return first >= 0 && this.#isOther(first, row) && this.#goesFirst(first, row);
  }

  /** The match that stands for all of a source, or -1. */
  #firstWith(source: number): number {
    const known = this.#firsts.get(source);
    if (known !== undefined) return known;
    let best = -1;
    this.#memory.lists.each(source - 1, (row) => {
      if ((best < 0 || this.#goesFirst(row, best)) && this.#matches(row)) best = row;
    });
    this.#firsts.set(source, best);
    return best;
  }

  /** The matching posts of other publishers with the same source, oldest first. */
  of(row: number): number[] {
    const others: number[] = [];
    if (!hasDuplicates(this.#memory, row)) return others;
    this.#memory.lists.each((this.#memory.rows.source.view[row] ?? 0) - 1, (other) => {
      if (this.#isOther(other, row) && this.#matches(other)) others.push(other);
    });
    return others.sort((a, b) => this.#compareAges(a, b));
  }

  /** Nobody posts a copy of a post of their own. */
  #isOther(a: number, b: number): boolean {
    const publishers = this.#memory.rows.publisher.view;
    return publishers[a] !== publishers[b];
  }

  #goesFirst(a: number, b: number): boolean {
    const relayed = (row: number) => (this.#memory.rows.marks.view[row] ?? 0) & MARK.syndicated;
    return (this.#score(b) - this.#score(a) || relayed(a) - relayed(b) || this.#compareAges(a, b)) < 0;
  }

  #compareAges(a: number, b: number): number {
    const { rows } = this.#memory;
    const age = (rows.createdAt.view[a] ?? 0) - (rows.createdAt.view[b] ?? 0);
    return age || (rows.idOf(a) < rows.idOf(b) ? -1 : 1);
  }
}

/** True when other rows have the same source. */
export function hasDuplicates({ rows, names }: PostMemory, row: number): boolean {
  const source = rows.source.view[row] ?? 0;
  return source !== 0 && names.get(source - 1, FIELD.count) > 1;
}
