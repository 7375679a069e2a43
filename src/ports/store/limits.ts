export interface LimitStore {
  /**
   * Adds `points` to a counter that restarts `windowMs` after its first point, and never later than
   * `windowMs` from now, also when the clock was set back; exact across processes. Need not survive a crash.
   * @returns the points so far, and when the window ends
   */
  add(
    key: string,
    points: number,
    windowMs: number,
    now: number,
  ): Promise<{ points: number; endsAt: number }>;
  /** Drops counters whose window has ended. Absent where the database does so by itself. */
  prune?(now: number): Promise<void>;
}
