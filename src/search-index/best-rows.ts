/**
 * The `limit` best of many rows without sorting the rest: a binary heap whose root is the worst row kept. `before` orders
 * rows with equal keys.
 */
export class BestRows {
  readonly #limit: number;
  readonly #before: (row: number, other: number) => boolean;
  readonly #rows: number[] = [];
  readonly #keys: number[] = [];

  /** @param before  true when `row` goes before `other` of the same key */
  constructor(limit: number, before: (row: number, other: number) => boolean) {
    this.#limit = limit;
    this.#before = before;
  }

  /** Offers a row; larger keys are better. */
  offer(row: number, key: number): void {
    const size = this.#rows.length;
    if (size < this.#limit) {
      this.#rows.push(row);
      this.#keys.push(key);
      this.#rise(size);
    } else if (size > 0 && this.#isBetter(row, key, 0)) {
      this.#rows[0] = row;
      this.#keys[0] = key;
      this.#sink();
    }
  }

  /** The rows kept, best first. */
  sorted(): number[] {
    const order = this.#rows.map((_, i) => i);
    order.sort((a, b) => (this.#isBetter(this.#rows[a] ?? 0, this.#keys[a] ?? 0, b) ? -1 : 1));
    return order.map((i) => this.#rows[i] ?? 0);
  }

  #isBetter(row: number, key: number, than: number): boolean {
    const other = this.#keys[than] ?? 0;
    return key === other ? this.#before(row, this.#rows[than] ?? 0) : key > other;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#isBetter(this.#rows[at] ?? 0, this.#keys[at] ?? 0, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child >= this.#rows.length) continue;
        if (this.#isBetter(this.#rows[worst] ?? 0, this.#keys[worst] ?? 0, child)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const row = this.#rows[a] ?? 0;
    const key = this.#keys[a] ?? 0;
    this.#rows[a] = this.#rows[b] ?? 0;
    this.#keys[a] = this.#keys[b] ?? 0;
    this.#rows[b] = row;
    this.#keys[b] = key;
  }
}
