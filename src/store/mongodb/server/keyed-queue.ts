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
