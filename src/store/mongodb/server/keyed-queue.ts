/** Runs jobs one after another where they share a name, and side by side where they do not. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** All names are taken in one go, so that two jobs cannot wait for each other. */
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
