/** What the sign-in of hosts keeps: a client, a sign-in under way, a grant, a code or a token. */
export interface SignInRow {
  /** Its kind and the SHA-256 of its name. The name of a code or token is what its holder shows; it is kept nowhere. */
  id: string;
  /** The grant that it belongs to, and ends with. */
  grantId: string | null;
  publisherId: string | null;
  /** JSON. */
  payload: string;
  consumedAt: number | null;
  expiresAt: number;
}

export interface SignInStore {
  /** Inserts a row, or replaces the one with its id. */
  put(row: SignInRow): Promise<void>;
  /** Null once it has expired. */
  get(id: string, now: number): Promise<SignInRow | null>;
  /** Marks a row as used. Of all calls for one row, in all processes, exactly one resolves to true. */
  consume(id: string, now: number): Promise<boolean>;
  /** Removes the row with this id, or everything of a grant or a publisher; an erasure of the publisher does too. */
  remove(by: "id" | "grantId" | "publisherId", value: string): Promise<void>;
  /** What there is of a publisher and has not expired; what expires first comes first. */
  ofPublisher(publisherId: string, now: number): Promise<SignInRow[]>;
  /** Drops what has expired. Absent where the database does so by itself. */
  prune?(now: number): Promise<void>;
}
