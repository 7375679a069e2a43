/** Counts by name that are kept in memory and written together, about every second. A failed write loses its counts. */
export class CounterBuffer {
  readonly #write: (counts: Map<string, number>) => Promise<void>;
  #counts = new Map<string, number>();
  #writing: Promise<unknown> = Promise.resolve();

  /** @param write  adds counts to those that are stored */
  constructor(write: (counts: Map<string, number>) => Promise<void>) {
    this.#write = write;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Resolves when everything counted before is written, also by a flush that was under way.
   * @throws what its own write threw
   */
  async flush(): Promise<void> {
    const earlier = this.#writing;
    if (this.#counts.size > 0) {
      const written = this.#write(this.#counts);
      this.#counts = new Map();
      this.#writing = Promise.allSettled([earlier, written]);
      await written;
    }
    await earlier;
  }
}
