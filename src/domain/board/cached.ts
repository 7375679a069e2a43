/**
 * A value that is costly to read and may be slightly old. From half its maximum age on, a call returns the kept value
 * and starts a new read in the background, so under steady traffic no caller waits. The next call retries a failed
 * read.
 */
export class Cached<T> {
  readonly #read: (now: number) => Promise<T>;
  readonly #maxAgeMs: number;
  #kept: { at: number; value: T } | null = null;
  #reading: Promise<T> | null = null;

  constructor(read: (now: number) => Promise<T>, maxAgeMs: number) {
    this.#read = read;
    this.#maxAgeMs = maxAgeMs;
  }

  /** A value younger than the maximum age. Rejects with the read's error when no such value is kept. */
  get(now: number): Promise<T> {
    const ageMs = this.#kept === null ? Number.POSITIVE_INFINITY : now - this.#kept.at;
    if (ageMs >= this.#maxAgeMs / 2) void this.#renew(now);
    if (this.#kept !== null && ageMs < this.#maxAgeMs) return Promise.resolve(this.#kept.value);
    return this.#renew(now);
  }

  #renew(now: number): Promise<T> {
    this.#reading ??= this.#read(now)
      .then((value) => {
        this.#kept = { at: now, value };
        return value;
      })
      .finally(() => {
        this.#reading = null;
      });
    // A caller that waits gets the error. When nobody waits, it must not be an unhandled rejection.
    this.#reading.catch(() => {});
    return this.#reading;
  }
}
