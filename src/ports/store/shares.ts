import type { WorkItem } from "./work.ts";

/** Saved queries are spread over so many parts by a hash of their id. A member of the board matches whole parts. */
export const PARTS = 60;
/** A set of parts is a number with a bit for each. */
export type Parts = bigint;
export const ALL_PARTS: Parts = (1n << BigInt(PARTS)) - 1n;

/** Who matches which part. */
export interface ShareTable {
  /** Grows with each change of `owners`. */
  revision: number;
  /** Until when each member counts as alive. */
  members: ReadonlyMap<string, number>;
  /** The member that matches each part, or null; `PARTS` of them. */
  owners: readonly (string | null)[];
}

/** Spreads the matching of saved queries over the processes of a board. */
export interface ShareStore {
  /** Keeps a member alive until `now + ttlMs`; resolves to the table with it. A name has neither dots nor dollar signs. */
  renew(member: string, ttlMs: number, now: number): Promise<ShareTable>;
  /** Replaces the owners, and forgets the members `gone`, unless another did since `revision`: then resolves to false. */
  pass(revision: number, owners: readonly (string | null)[], gone: readonly string[]): Promise<boolean>;
  /** Gives back the parts of a member, and forgets it. */
  leave(member: string): Promise<void>;
  /**
   * Posts to match, oldest first, that some of `parts` have not been matched with. The items name these parts: settled,
   * they stay for the other parts, and end with the last. Nobody claims them: to match one twice is harmless.
   */
  unmatched(parts: Parts, limit: number): Promise<WorkItem[]>;
  /** Calls back soon after a post was written or changed, by whatever process. */
  onPosts(changed: () => void): void;
}
