interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Gathers what is asked while batches are under way, and handles it together in the next one. */
export class Gathered<Item, Result> {
  readonly #handle: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #most: number;
  readonly #atOnce: number;
  #waiting: Waiting<Item, Result>[] = [];
  #workers = 0;

  /**
   * @param handle  resolves to a result for each item, in order; when it fails, all of them do
   * @param bounds.most  items of one batch
   * @param bounds.atOnce  batches under way at a time
   */
  constructor(
    handle: (items: readonly Item[]) => Promise<readonly Result[]>,
    { most, atOnce = 1 }: { most: number; atOnce?: number },
  ) {
    this.#handle = handle;
    this.#most = most;
    this.#atOnce = atOnce;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#workers < this.#atOnce) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#workers += 1;
    // What is asked in the same turn belongs together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const results = await this.#handle(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#workers -= 1;
  }
}
