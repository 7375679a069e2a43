/** How long questions go elsewhere after too many failures. */
const OPEN_MS = 30_000;
/** The answers that are remembered, and how many of them may be failures. */
const REMEMBERED = 10;
const FAILURES_MAX = 2;

/** A question that may go to the service. Exactly one of these says how it ended. */
export interface Attempt {
  succeeded(): void;
  failed(now: number): void;
  /** It was answered without asking the service, which tells nothing about that. */
  passedBy(): void;
}

/**
 * Keeps questions away from a service that fails: when three of the last ten failed, for 30 s, and then until a single trial
 * question succeeds. Times are milliseconds of a clock that never goes back.
 */
export class CircuitBreaker {
  /** Whether each of the last answers was a failure, oldest first. */
  #failures: boolean[] = [];
  /** Null while questions go to the service. */
  #openUntil: number | null = null;
  #isTrialUnderWay = false;

  /** Lets the next question go, or answers null; after the pause only one may go, as a trial. */
  attempt(now: number): Attempt | null {
    if (this.#openUntil === null) return this.#usual();
    if (now < this.#openUntil || this.#isTrialUnderWay) return null;
    this.#isTrialUnderWay = true;
    return this.#trial();
  }

  /** True while questions go elsewhere. */
  isOpen(): boolean {
    return this.#openUntil !== null;
  }

  #usual(): Attempt {
    // Questions that were under way when it opened say nothing new.
    return {
      succeeded: () => {
        if (!this.isOpen()) this.#remember(false);
      },
      failed: (now) => {
        if (this.isOpen()) return;
        this.#remember(true);
        if (this.#failures.filter(Boolean).length > FAILURES_MAX) this.#openUntil = now + OPEN_MS;
      },
      passedBy: () => {},
    };
  }

  #trial(): Attempt {
    const end = (openUntil: number | null) => {
      this.#isTrialUnderWay = false;
      this.#openUntil = openUntil;
    };
    return {
      succeeded: () => {
        this.#failures = [];
        end(null);
      },
      failed: (now) => end(now + OPEN_MS),
      passedBy: () => end(this.#openUntil),
    };
  }

  #remember(failure: boolean): void {
    this.#failures = [...this.#failures, failure].slice(-REMEMBERED);
  }
}
