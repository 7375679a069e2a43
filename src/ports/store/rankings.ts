/** A ranking saved with its second page, so that later pages neither repeat nor skip. Holds ids only. */
export interface FrozenRanking {
  id: string;
  ids: readonly string[];
  /** In 0…1, one for each id. */
  relevance: readonly number[];
  /** The ranking that this one continues. */
  previous: string | null;
  expiresAt: number;
}

export interface RankingStore {
  /** Need not survive a crash. */
  save(ranking: FrozenRanking): Promise<void>;
  get(id: string, now: number): Promise<FrozenRanking | null>;
  /** Drops those that have expired. Absent where the database does so by itself. */
  prune?(now: number): Promise<void>;
}
