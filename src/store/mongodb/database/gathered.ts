interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Handles together what is asked in one turn; with `atOnce`, also what is asked while that many batches are under way.
 *
 * @param handle  resolves to a result for each item, in order; when it fails, all of them do
 * @param bounds.most  items of one batch
 * @param bounds.atOnce  batches under way at a time
 */
export function gathered<Item, Result>(
  handle: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most, atOnce = Number.POSITIVE_INFINITY }: { most: number; atOnce?: number },
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  const run = async (batch: readonly Waiting<Item, Result>[]) => {
    underWay += 1;
    try {
      const results = await handle(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay -= 1;
    begin();
  };
  const begin = () => {
    while (waiting.length > 0 && underWay < atOnce) void run(waiting.splice(0, most));
  };
  return (item) =>
    new Promise((resolve, reject) => {
      // The first one of a turn begins at its end.
      if (waiting.push({ item, resolve, reject }) === 1) queueMicrotask(begin);
    });
}

const ROWS_PER_READ = 200;

/** Reads single rows by id, all that are asked for in one turn by one `many`: each push under way asks for its own. */
export function oneByOne<Row extends { id: string }>(
  many: (ids: readonly string[]) => Promise<Row[]>,
): (id: string) => Promise<Row | null> {
  const read = async (ids: readonly string[]) => {
    const found = new Map((await many([...new Set(ids)])).map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  };
  return gathered(read, { most: ROWS_PER_READ });
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
