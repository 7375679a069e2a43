/** Work on a post after it was written, done by whichever process comes first. */
export type WorkKind = "match" | "embed";
export interface WorkItem {
  kind: WorkKind;
  postId: string;
  /** Names this claim; a claim that was taken over, or a post enqueued again meanwhile, has another. */
  token: string;
  /** Claims since it was enqueued, this one included. */
  attempts: number;
}

export interface WorkStore {
  /**
   * Claims at most `limit` due items until `now + leaseMs`, oldest first; each item goes to one claimant. A claim not
   * settled in time falls due again, so that work survives the death of its worker.
   */
  claim(kind: WorkKind, options: { limit: number; leaseMs: number; now: number }): Promise<WorkItem[]>;
  /** Settles items; one enqueued again since its claim stays due. */
  done(items: readonly WorkItem[]): Promise<void>;
  /** Gives items back, due at `dueAt`. */
  giveBack(items: readonly WorkItem[], dueAt: number): Promise<void>;
  backlog(kind: WorkKind): Promise<number>;
  /**
   * Calls back soon after a post was written or changed, by whatever process. Absent where a look now and then has to do.
   */
  onPosts?(changed: () => void): void;
}
