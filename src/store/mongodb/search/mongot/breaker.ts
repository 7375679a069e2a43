/** How long questions go elsewhere after too many failures. */
const OPEN_MS = 30_000;
/** The answers that are remembered, and how many of them may be failures. */
const REMEMBERED = 10;
const FAILURES_MAX = 2;

/**
 * Keeps questions away from a service that fails: when three of the last ten failed, for 30 s, and then until a single trial
 * question succeeds.
 */
export class CircuitBreaker {
  /** Whether each of the last answers was a failure, oldest first. */
  #failures: boolean[] = [];
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
    // Questions that were under way when it opened say nothing new.
    if (this.isOpen() && !this.#probing) return;
    if (this.isOpen()) this.#failures = [];
    this.#remember(false);
    this.#openUntil = 0;
    this.#probing = false;
  }

  failed(now: number): void {
    this.#remember(true);
    if (!this.isOpen() && this.#failures.filter(Boolean).length <= FAILURES_MAX) return;
    this.#openUntil = now + OPEN_MS;
    this.#probing = false;
  }

  #remember(failure: boolean): void {
    this.#failures = [...this.#failures, failure].slice(-REMEMBERED);
  }
}
