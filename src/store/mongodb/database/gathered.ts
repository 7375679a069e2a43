/** Rows of one read. */
const ROWS_PER_READ = 200;

/** Reads single rows by id, all that are asked for in one turn by one `many`: each push under way asks for its own. */
export function oneByOne<Row extends { id: string }>(
  many: (ids: readonly string[]) => Promise<Row[]>,
): (id: string) => Promise<Row | null> {
  let next: { ids: Set<string>; rows: Promise<Map<string, Row>> } | null = null;
  const read = async (ids: ReadonlySet<string>) => {
    // What is asked in this turn comes along.
    await null;
    next = null;
    return new Map((await many([...ids])).map((row) => [row.id, row]));
  };
  return async (id) => {
    if (next === null || next.ids.size >= ROWS_PER_READ) {
      const ids = new Set<string>();
      next = { ids, rows: read(ids) };
    }
    next.ids.add(id);
    return (await next.rows).get(id) ?? null;
  };
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
