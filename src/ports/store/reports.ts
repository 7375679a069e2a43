import type { REASONS } from "../../schema/report.ts";
import type { PostState } from "./posts.ts";

export interface StoredReport {
  id: string;
  postId: string;
  /** `key:<publisher id>`, or `addr:<keyed hash>` of a visitor without a key. */
  reporter: string;
  /** `addr:<keyed hash>` of each place it came from, first ones first; none for reports of older releases. */
  addresses: readonly string[];
  reason: (typeof REASONS)[number];
  details: string | null;
  createdAt: number;
}

export interface ModerationEntry {
  at: number;
  action: "hide" | "restore" | "remove" | "suspend" | "reinstate";
  /** Post or publisher id. */
  subject: string;
  /** `operator`, or `reports` when enough reporters hid a post. */
  actor: "operator" | "reports";
  reason: string;
}

export interface ReportStore {
  /** Keeps one report per post and reporter; a repeat updates reason and details, adds its addresses and keeps its id. */
  upsert(report: StoredReport): Promise<StoredReport>;
  /**
   * Voices for hiding a post that were first heard after `since`. Reports with a common address are one voice, whatever
   * their keys, and so are all of one key; suspended publishers have none.
   */
  voices(postId: string, since: number): Promise<number>;
  /** Posts with reports, most reporters first. */
  queue(
    limit: number,
  ): Promise<{ postId: string; reporters: number; reasons: string[]; lastAt: number; state: PostState }[]>;
  /** Appends to the moderation log. */
  log(entry: ModerationEntry): Promise<void>;
  /** The newest entries, for one subject or for all. */
  history(subject: string | null, limit: number): Promise<ModerationEntry[]>;
}
