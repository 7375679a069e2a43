export interface LeaseStore {
  /**
   * Takes or renews a lease. Resolves to its fence, or to null when another owner holds it. The fence is a number that
   * grows each time the lease is taken anew and stays when it is renewed: an owner that finds another one has lost the
   * lease meanwhile.
   */
  acquire(name: string, owner: string, ttlMs: number, now: number): Promise<number | null>;
  release(name: string, owner: string): Promise<void>;
}
