import type { Line } from "../../domain/subscriptions/waits.ts";

/** Reads of one address under way at once. More would be no faster: one thread does most of their work. */
const AT_ONCE = 4;

/**
 * Lets everybody else in between the calls of one address: a few are under way, the others wait in line. Each call of any
 * address begins in a turn of the event loop of its own, since what it does at once may take some ten milliseconds.
 */
export class Queues {
  /** Calls wait by address; an address is here while any call of it is under way. */
  readonly #queues = new Map<string, { underWay: number; line: (() => void)[] }>();
  readonly #ready: (() => void)[] = [];

  /**
   * Resolves when the call may begin.
   * @returns ends the call, or its place among those under way; a second time does nothing
   */
  async enter(address: string): Promise<() => void> {
    const queue = this.#queues.get(address) ?? { underWay: 0, line: [] };
    this.#queues.set(address, queue);
    await new Promise<void>((begin) => {
      if (queue.underWay >= AT_ONCE) queue.line.push(begin);
      else {
        queue.underWay += 1;
        this.#begin(begin);
      }
    });
    let isUnderWay = true;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      const next = queue.line.shift();
      if (next !== undefined) this.#begin(next);
      else queue.underWay -= 1;
      if (queue.underWay === 0) this.#queues.delete(address);
    };
  }

  /** Resolves in a turn of its own, for the next slice of long work. */
  ownTurn(): Promise<void> {
    return new Promise((resume) => this.#begin(resume));
  }

  #begin(begin: () => void): void {
    this.#ready.push(begin);
    if (this.#ready.length === 1) setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#ready[0]?.();
    this.#ready.shift();
    if (this.#ready.length > 0) setImmediate(() => this.#nextTurn());
  }
}

/** Makes a line on which a call that waits for news leaves its place to the next. */
export function lineLeaving(line: Line, leave: () => void): Line & { readonly hasRested: boolean } {
  let hasRested = false;
  return {
    get closed() {
      return line.closed;
    },
    get hasRested() {
      return hasRested;
    },
    rest() {
      hasRested = true;
      leave();
      line.rest();
    },
  };
}
