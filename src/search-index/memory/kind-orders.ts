import { KINDS } from "../../schema/post.ts";
import type { Column, Numbers } from "./columns.ts";
import { TimeOrder } from "./time-order.ts";
import { TimeWalk } from "./time-walk.ts";

/** More new rows than this are sorted together. */
const SINGLY_MAX = 4_096;

type Times = Column<Numbers>;

/**
 * The rows of one time that most searches may show, in its order, each kind for itself: so that the soonest event is found
 * without a look at older posts of other kinds, nor at all that are over. Kept from the first question on, 4 bytes a row.
 */
export class KindOrders {
  readonly #times: Times;
  readonly #kinds: Column<Uint8Array>;
  /** By kind, as `KINDS` numbers them. */
  readonly #orders: TimeOrder[];
  /** A bit for each row that is in an order. */
  #members = new Uint32Array(0);

  /** @param kinds  see `kindBit` */
  constructor(times: Times, kinds: Column<Uint8Array>) {
    this.#times = times;
    this.#kinds = kinds;
    this.#orders = KINDS.map(() => new TimeOrder(times));
  }

  /** Takes in which rows may be shown now. @param current  see `CurrentRows.at` @param all  the same rows and others */
  follow(current: Uint32Array, all: TimeOrder): void {
    if (this.#members.length < current.length) this.#members = grown(this.#members, current.length);
    const changed: number[] = [];
    for (let group = 0; group < current.length; group += 1) {
      let bits = (current[group] ?? 0) ^ (this.#members[group] ?? 0);
      for (; bits !== 0; bits &= bits - 1) changed.push(group * 32 + 31 - Math.clz32(bits & -bits));
      if (changed.length > SINGLY_MAX) {
        this.#fill(current, all);
        return;
      }
    }
    for (const row of changed) {
      if (this.#has(row)) this.leave(row);
      else this.#enter(row);
    }
  }

  /** A row changes in its time or kind, or is no more: `follow` takes it in again. */
  leave(row: number): void {
    if (!this.#has(row)) return;
    this.#orderOf(row)?.remove(row);
    this.#members[row >>> 5] = (this.#members[row >>> 5] ?? 0) & ~(1 << (row & 31));
  }

  /** Rows have other numbers now. */
  clear(): void {
    for (const order of this.#orders) order.clear();
    this.#members = new Uint32Array(0);
  }

  /** @param kinds  bits of those wanted; null for all */
  walk(kinds: number | null, from: number, step: 1 | -1): TimeWalk {
    const wanted = this.#orders.filter((_, kind) => kinds === null || (kinds & (1 << kind)) !== 0);
    return new TimeWalk(
      this.#times,
      wanted.flatMap((order) => order.runs(from, step)),
      step,
    );
  }

  #enter(row: number): void {
    this.#orderOf(row)?.add(row);
    this.#members[row >>> 5] = (this.#members[row >>> 5] ?? 0) | (1 << (row & 31));
  }

  #fill(current: Uint32Array, all: TimeOrder): void {
    const rows: number[][] = this.#orders.map(() => []);
    const walk = all.walk(Number.NEGATIVE_INFINITY, 1);
    for (let row = walk.next(); row >= 0; row = walk.next()) {
      if (((current[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0) rows[this.#kindOf(row)]?.push(row);
    }
    for (const [kind, order] of this.#orders.entries()) order.adopt(rows[kind] ?? []);
    this.#members.set(current);
  }

  #has(row: number): boolean {
    return ((this.#members[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
  }

  #kindOf(row: number): number {
    return 31 - Math.clz32(this.#kinds.view[row] ?? 0);
  }

  #orderOf(row: number): TimeOrder | undefined {
    return this.#orders[this.#kindOf(row)];
  }
}

function grown(bits: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(bits);
  return larger;
}
