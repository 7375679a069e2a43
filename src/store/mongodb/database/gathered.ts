interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Handles together what is asked in one turn; with `atOnce`, also what is asked while that many batches are under way. */
export class Gathered<Item, Result> {
  readonly #handle: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #most: number;
  readonly #atOnce: number;
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;
  #isPlanned = false;

  /**
   * @param handle  resolves to a result for each item, in order; when it fails, all of them do
   * @param bounds.most  items of one batch
   * @param bounds.atOnce  batches under way at a time
   */
  constructor(
    handle: (items: readonly Item[]) => Promise<readonly Result[]>,
    { most, atOnce = Number.POSITIVE_INFINITY }: { most: number; atOnce?: number },
  ) {
    this.#handle = handle;
    this.#most = most;
    this.#atOnce = atOnce;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      while (this.#waiting.length > 0 && this.#underWay < this.#atOnce) {
        void this.#run(this.#waiting.splice(0, this.#most));
      }
    });
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const results = await this.#handle(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#underWay -= 1;
    this.#plan();
  }
}

const ROWS_PER_READ = 200;

/** Reads single rows by id, all that are asked for in one turn by one `many`: each push under way asks for its own. */
export function oneByOne<Row extends { id: string }>(
  many: (ids: readonly string[]) => Promise<Row[]>,
): (id: string) => Promise<Row | null> {
  const gathered = new Gathered<string, Row | null>(
    async (ids) => {
      const found = new Map((await many([...new Set(ids)])).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { most: ROWS_PER_READ },
  );
  return (id) => gathered.add(id);
}

/** Runs jobs that share a name one after another, and others side by side. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Takes all names at once, so that no two jobs can wait for each other. */
  run<T>(names: readonly string[], job: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#tails.get(name) ?? []);
    const result = before.length === 0 ? job() : Promise.all(before).then(job);
    const leave = () => {
      for (const name of names) if (this.#tails.get(name) === tail) this.#tails.delete(name);
    };
    const tail: Promise<void> = result.then(leave, leave);
    for (const name of names) this.#tails.set(name, tail);
    return result;
  }
}
