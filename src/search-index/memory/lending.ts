import type { KernelMemory } from "../../search/kernel/index.ts";
import type { PostMemory } from "./index.ts";
import { columnsOf, scalarsOf, setScalars } from "./sections.ts";

/** Where the memory of another thread lies. Columns that grow move, so it is lent anew then. */
export interface Loan {
  /** How many were made before it. */
  nth: number;
  columns: SharedArrayBuffer[];
  vectors: KernelMemory;
  codes: KernelMemory;
}

/** The first two of the shared numbers; what `scalarsOf` says of the memory comes behind them. */
const TURN = 0;
const LOAN = 1;
const SCALARS_AT = 8;
const SCALARS_MAX = 32;

/**
 * What the thread that writes and one that reads say to each other, by a sequence lock: a number that is odd while the memory
 * changes, and another one after each change. Whoever reads looks at it before and afterwards. Nobody waits for anybody.
 */
export class Turns {
  readonly shared: SharedArrayBuffer;
  readonly #turns: Int32Array;
  readonly #scalars: Float64Array;

  constructor(shared = new SharedArrayBuffer(SCALARS_AT + 8 * SCALARS_MAX)) {
    this.shared = shared;
    this.#turns = new Int32Array(shared, 0, 2);
    this.#scalars = new Float64Array(shared, SCALARS_AT);
  }

  /** The memory changes from now on. */
  begin(): void {
    Atomics.or(this.#turns, TURN, 1);
  }

  /** It is as it is now until the next `begin`. */
  end(memory: PostMemory): void {
    this.#scalars.set(Object.values(scalarsOf(memory)));
    Atomics.or(this.#turns, TURN, 1);
    Atomics.add(this.#turns, TURN, 1);
  }

  /** The number of the turn; null while the memory changes. */
  current(): number | null {
    const turn = Atomics.load(this.#turns, TURN);
    return turn % 2 === 0 ? turn : null;
  }

  /** True when nothing has changed since `current` gave this number. */
  isStill(turn: number): boolean {
    return Atomics.compareExchange(this.#turns, TURN, turn, turn) === turn;
  }

  /** Gives a loan its number. */
  nextLoan(): number {
    return Atomics.add(this.#turns, LOAN, 1) + 1;
  }

  /** True for the newest loan. */
  isLast(loan: number): boolean {
    return Atomics.load(this.#turns, LOAN) === loan;
  }

  /** Takes over all numbers of the memory that are in no column. */
  setScalars(memory: PostMemory): void {
    const names = Object.keys(scalarsOf(memory));
    setScalars(memory, Object.fromEntries(names.map((name, at) => [name, this.#scalars[at] ?? 0])));
  }
}

/** Lets another thread read a memory that this one writes to. */
export class Lender {
  readonly #turns: Turns;
  readonly #send: (loan: Loan) => void;
  #last: { loan: Loan; bytes: number } | null = null;

  /** @param send  tells the other thread of a loan */
  constructor(turns: Turns, send: (loan: Loan) => void) {
    this.#turns = turns;
    this.#send = send;
  }

  /** Runs what changes the memory. @param memory  gives the one that is in use then */
  change(work: () => void, memory: () => PostMemory): void {
    this.#turns.begin();
    try {
      work();
    } finally {
      this.#lend(memory());
      this.#turns.end(memory());
    }
  }

  #lend(memory: PostMemory): void {
    const columns = columnsOf(memory).map(({ of }) => of.buffer);
    const [vectors, codes] = [memory.vectors.memory, memory.codes.memory];
    // One that has grown is sent again: the other thread may not have heard of its length.
    const bytes = vectors.buffer.byteLength + codes.buffer.byteLength;
    const last = this.#last;
    const isKnown =
      last?.loan.vectors === vectors &&
      last.bytes === bytes &&
      columns.every((column, at) => column === last.loan.columns[at]);
    if (isKnown) return;
    const loan = { nth: this.#turns.nextLoan(), columns, vectors, codes };
    this.#last = { loan, bytes };
    this.#send(loan);
  }
}
