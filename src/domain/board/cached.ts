/**
 * What costs a read and may be a little old. From half its age on a newer one is read beside the answers, so that under
 * steady traffic nobody waits; one that failed is tried again at the next call.
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

  /** At most as old as was agreed. Rejects with the reading's error when nothing that young is kept. */
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
    // Whoever waits for it is told; nobody may.
    this.#reading.catch(() => {});
    return this.#reading;
  }
}
