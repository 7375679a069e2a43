export interface LeaseStore {
  /**
   * Takes or renews a lease. Resolves to its fence, or to null when another owner holds it. The fence is a number: it
   * grows each time the lease is taken and stays when it is renewed. An owner that meets another fence has lost the
   * lease in between.
   */
  acquire(name: string, owner: string, ttlMs: number, now: number): Promise<number | null>;
  release(name: string, owner: string): Promise<void>;
}
