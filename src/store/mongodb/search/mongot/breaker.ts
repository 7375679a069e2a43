/** How long questions go elsewhere after a failure. */
const OPEN_MS = 30_000;

/** Keeps questions away from a service that failed: for 30 s, and then until a single trial question succeeds. */
export class CircuitBreaker {
  #openUntil = 0;
  #probing = false;

  /** True when the next question may go; after the pause only one may, as a trial. */
  allows(now: number): boolean {
    if (this.#openUntil === 0) return true;
    if (now < this.#openUntil || this.#probing) return false;
    this.#probing = true;
    return true;
  }

  /** True while questions go elsewhere. */
  isOpen(): boolean {
    return this.#openUntil !== 0;
  }

  succeeded(): void {
    this.#openUntil = 0;
    this.#probing = false;
  }

  failed(now: number): void {
    this.#openUntil = now + OPEN_MS;
    this.#probing = false;
  }
}
