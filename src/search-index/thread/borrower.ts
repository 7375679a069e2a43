import type { RelatedQuestion } from "../../ports/search-index.ts";
import type { IndexModel } from "../local.ts";
import { MEMORY_LIMITS, PostMemory } from "../memory/index.ts";
import type { Loan, Turns } from "../memory/lending.ts";
import { columnsOf } from "../memory/sections.ts";
import { relatedTo } from "../query/matches.ts";
import { Searcher } from "../query/searcher.ts";

/** Rows up to which related posts are found in the event loop: among these it takes 1.5 ms. */
const ROWS_MAX = 300_000;

/** Reads the memory of a search thread without asking the thread. */
export class Borrower {
  readonly #turns: Turns;
  readonly #model: IndexModel;
  #loan: { nth: number; memory: PostMemory; searcher: Searcher } | null = null;
  /** The turn whose numbers `memory` has. */
  #turn: number | null = null;
  /** How many questions were answered. */
  answered = 0;

  constructor(turns: Turns, model: IndexModel) {
    this.#turns = turns;
    this.#model = model;
  }

  take({ nth, columns, vectors, codes }: Loan): void {
    const memory = new PostMemory(this.#model.dimension, MEMORY_LIMITS, { vectors, codes });
    for (const [at, { of }] of columnsOf(memory).entries()) {
      const column = columns[at];
      if (column !== undefined) of.adopt(column);
    }
    const searcher = new Searcher({ memory }, null, this.#model.modelId !== null);
    this.#loan = { nth, memory, searcher };
    this.#turn = null;
  }

  /**
   * What `SearchIndex.related` answers.
   * @param newest  number of the newest change that was committed
   * @returns null when the thread has to be asked: its memory changes meanwhile, lacks a change or is too large
   */
  related(id: string, asked: RelatedQuestion, newest: number): string[] | null {
    const turn = this.#turns.current();
    const loan = this.#loan;
    if (turn === null || loan === null || !this.#turns.isLast(loan.nth)) return null;
    const { memory, searcher } = loan;
    try {
      if (turn !== this.#turn) {
        this.#turns.setScalars(memory);
        memory.rows.forgetDerived();
      }
      this.#turn = turn;
      if (memory.change !== newest || memory.rows.size > ROWS_MAX) return null;
      const found = relatedTo(searcher, id, asked);
      if (this.#turns.isStill(turn)) {
        this.answered += 1;
        return found;
      }
    } catch (error) {
      // Some numbers of before and some of after a change may lead anywhere.
      if (this.#turns.isStill(turn)) throw error;
    }
    this.#turn = null;
    return null;
  }
}
