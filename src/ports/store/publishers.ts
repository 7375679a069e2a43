import type { ModerationEntry, SignInRow, StoredPublisher, StoredReport } from "../../records/publisher.ts";
import type { EarlierPage } from "./posts.ts";

export type { ModerationEntry, SignInRow, StoredPublisher, StoredReport };

type PublisherChange = Partial<Omit<StoredPublisher, "id" | "createdAt" | "postCount">>;

export interface ErasedPublisher {
  /** Counts posts that were not removed before. */
  posts: number;
  subscriptions: number;
  /** False while a reader elsewhere keeps older copies of the text in the database's log. */
  complete: boolean;
}

export interface PublisherStore {
  insert(publisher: StoredPublisher): Promise<void>;
  get(id: string): Promise<StoredPublisher | null>;
  many(ids: readonly string[]): Promise<StoredPublisher[]>;
  /**
   * Finds ids of at most `limit` publishers whose name is this text, or begins with it before a blank or a mark. The case
   * of letters makes no difference.
   */
  named(text: string, limit: number): Promise<string[]>;
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
  /** Lists publishers that registered at or after `since`, newest first by (createdAt, id). */
  registered(since: number, page: EarlierPage): Promise<StoredPublisher[]>;
  /** Lists verified publishers whose proof was last checked before `before`, oldest first. */
  dueForCheck(before: number, limit: number): Promise<StoredPublisher[]>;
}

export interface SignInStore {
  /** Inserts a row, or replaces the one with its id. */
  put(row: SignInRow): Promise<void>;
  /** Reads it; null once it has expired. */
  get(id: string, now: number): Promise<SignInRow | null>;
  /** Finds the rows that exist and have not expired, in any order. */
  many(ids: readonly string[], now: number): Promise<SignInRow[]>;
  /** Marks a row as used. Of all calls for one row, in all processes, exactly one resolves to true. */
  consume(id: string, now: number): Promise<boolean>;
  /** Lets a row that is there last until then, unless it lasts longer. */
  prolong(id: string, expiresAt: number): Promise<void>;
  /** Removes the row with this id, or everything of a grant or a publisher; an erasure of the publisher does too. */
  remove(by: "id" | "grantId" | "publisherId", value: string): Promise<void>;
  /** Removes the rows of a grant, of one kind, that expire until then, except the row with this id. */
  removeOlder(grantId: string, kind: string, until: number, except: string): Promise<void>;
  /** Lists the refresh tokens of a publisher that are not used and have not expired: one for each host that is signed in. */
  renewable(publisherId: string, now: number, limit: number): Promise<SignInRow[]>;
}

export interface ReportedPost {
  postId: string;
  reporters: number;
  /** Each stands once, in any order. */
  reasons: string[];
  lastAt: number;
}

export interface ReportStore {
  /** Keeps one report per post and reporter; a repeat updates reason and details, adds its addresses and keeps its id. */
  upsert(report: StoredReport): Promise<StoredReport>;
  /**
   * Counts voices for hiding a post that were first heard after `since`. Reports with a common address are one voice,
   * whatever their keys, and so are all of one key; suspended publishers have none.
   */
  voices(postId: string, since: number): Promise<number>;
  /** Lists the reports of a post, oldest first. */
  of(postId: string, limit: number): Promise<StoredReport[]>;
  /**
   * Lists posts with open reports, most reporters first, then by `lastAt`, when the latest reporter first reported it.
   * Reports are open until the operator acts on their post, or it is removed. Reads all reports: it is for the operator.
   */
  queue(limit: number): Promise<ReportedPost[]>;
  /** Appends to the moderation log. */
  log(entry: ModerationEntry): Promise<void>;
  /** Lists the newest entries, for one subject or for all. */
  history(subject: string | null, limit: number): Promise<ModerationEntry[]>;
}
