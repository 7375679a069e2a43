import type { StoredPost, VectorMaker, WorkKind } from "./posts.ts";
import type { ModerationEntry, StoredPublisher, StoredReport } from "./publishers.ts";
import type { PushRecord } from "./pushes.ts";
import type { Delivery, InboxEntry, StoredSubscription } from "./subscriptions.ts";

/** Fields of subscriptions by hosts, as every other has them. */
export const OF_HOSTS = {
  event: null,
  expiresAt: null,
  clientSecret: null,
  previousClientSecret: null,
} as const;

/**
 * Everything a board consists of, except what a store derives or may lose: search index, queues, limits, rankings,
 * leases. Kinds are listed in the order rows are written: what a row belongs to comes before it, a root before its
 * replies.
 */
export interface BoardRows {
  setting: { name: string; value: string };
  /** `inboxNo`: no entry of the publisher's inbox has had a higher number, pruned ones included. */
  publisher: StoredPublisher & { inboxNo: number };
  /** `removedAt` goes with state `removed`; nothing its publisher wrote is left of such a post. */
  post: StoredPost & { removedAt: number | null; embedding: (VectorMaker & { vector: Int8Array }) | null };
  /** `nextDelivery`: the id its next delivery gets. Hosts subscribe anew, so what they subscribed to stays behind. */
  subscription: Omit<StoredSubscription, keyof typeof OF_HOSTS> & { nextDelivery: number };
  /** `matchedAt` is null once the delivery is pruned: all that is known is that the pair was delivered. */
  delivery: {
    subscriptionId: string;
    postId: string;
    deliveryId: number;
    matchedAt: Delivery["matchedAt"] | null;
  };
  /** A claimed one counts as due: its claimant does not come along. */
  push: PushRecord;
  inbox: InboxEntry & { publisherId: string };
  report: StoredReport;
  moderation: ModerationEntry;
  counter: { day: string; name: string; n: number };
  /** Work still to be done on a post, due since the post's last change. */
  work: { kind: WorkKind; postId: string };
}

export type RowKind = keyof BoardRows;

/** In the order of `BoardRows`. */
export const ROW_KINDS = [
  "setting",
  "publisher",
  "post",
  "subscription",
  "delivery",
  "push",
  "inbox",
  "report",
  "moderation",
  "counter",
  "work",
] as const satisfies readonly RowKind[];

/** Rows of one kind. */
export type RowPage = { [K in RowKind]: { kind: K; rows: BoardRows[K][] } }[RowKind];

/** A board as it is at one moment, while it goes on changing. */
export interface BoardSnapshot {
  counts: Readonly<Record<RowKind, number>>;
  /**
   * Every row, kind after kind in the order of `ROW_KINDS`, of that one moment; bounded in memory.
   * @throws Error in one line for the operator when the database no longer knows that moment
   */
  pages(): AsyncIterable<RowPage>;
  close(): Promise<void>;
}

/** Reads and writes whole boards, for a move from one store to another. */
export interface TransferStore {
  /** Erasures under way are finished first. Others read and write meanwhile, undisturbed. */
  snapshot(): Promise<BoardSnapshot>;
  /**
   * Writes rows as they are, with what follows from them (index, queues), and moves a mark, all in one transaction: a
   * crash leaves all or nothing. A setting replaces the one of its name, a counter is added to what is there.
   *
   * @param mark  a setting that must have the value `from` (null: must not be there) and gets the value `to`; of two
   *   writers at once, only one gets on
   * @throws Error when the mark has another value, a row already exists, or what it belongs to is missing
   */
  write(pages: readonly RowPage[], mark: { name: string; from: string | null; to: string }): Promise<void>;
}
