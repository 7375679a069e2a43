export interface StoredPublisher {
  id: string;
  name: string;
  description: string | null;
  url: string | null;
  domain: string | null;
  /** Token of the domain proof; stays until the domain changes. */
  verifyToken: string | null;
  verifiedAt: number | null;
  verifiedVia: "dns" | "file" | null;
  /** When the proof was last checked. */
  checkedAt: number | null;
  suspendedAt: number | null;
  /** SHA-256 of the API key, hex. */
  keyHash: string;
  postCount: number;
  createdAt: number;
}
type PublisherChange = Partial<Omit<StoredPublisher, "id" | "createdAt" | "postCount">>;

/** An erasure as far as it came. */
export interface ErasedPublisher {
  /** Not removed before. */
  posts: number;
  subscriptions: number;
  /** False while a reader elsewhere keeps older copies of the text in the database's log. */
  complete: boolean;
}

export interface PublisherStore {
  insert(publisher: StoredPublisher): Promise<void>;
  get(id: string): Promise<StoredPublisher | null>;
  many(ids: readonly string[]): Promise<StoredPublisher[]>;
  /** Reads the store each time: a rotated or erased key fails on the very next request of every process. */
  byKeyHash(keyHash: string): Promise<StoredPublisher | null>;
  /**
   * Changes a publisher, and what the index knows of it (verified, suspended), in one step with reading it.
   *
   * @param change  the fields to change; or a function from the current row to them, null for none (a store may call it
   *   more than once)
   * @returns the row afterwards, or null when there is none
   */
  update(
    id: string,
    change: PublisherChange | ((row: StoredPublisher) => PublisherChange | null),
  ): Promise<StoredPublisher | null>;
  /**
   * Erases a publisher, its posts (with the replies to them), subscriptions, deliveries, reports and queued work, so
   * that no byte of its text stays in the database, its logs, indexes or queues. Its key fails from the first moment on;
   * `Store.finishErasures` completes what a crash, or a reader elsewhere, interrupts. Null when there is no publisher.
   */
  erase(id: string): Promise<ErasedPublisher | null>;
  /** Verified publishers whose proof was last checked before `before`, oldest first. */
  dueForCheck(before: number, limit: number): Promise<StoredPublisher[]>;
}
