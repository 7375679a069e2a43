import { COUNTER, SETTING, WORK } from "./board.ts";
import { BESIDE_POST, POST } from "./post.ts";
import { MODERATION, PUBLISHER, REPORT } from "./publisher.ts";
import { count, type RowOf, type RowRecord, record } from "./record.ts";
import { DELIVERY, INBOX, PUSH, SUBSCRIPTION, TOLD_SERIES } from "./subscription.ts";

/** Subscriptions by hosts have these fields, as every other has them. */
export const OF_HOSTS = {
  event: null,
  expiresAt: null,
  clientSecret: null,
  previousClientSecret: null,
} as const;

const { event, expiresAt, clientSecret, previousClientSecret, ...subscription } = SUBSCRIPTION.shape;

/**
 * Holds everything a board consists of, except what a store derives or may lose: search index, queues, limits, rankings,
 * leases, sign-ins. Kinds are listed in the order rows are written: what a row belongs to comes before it, a root before
 * its replies.
 */
export const MOVED = {
  setting: SETTING,
  /** No entry of the publisher's inbox has had a higher number than `inboxNo`, pruned ones included. */
  publisher: record({ ...PUBLISHER.shape, inboxNo: count }, [["id"], ["keyHash"]]),
  post: record({ ...POST.shape, ...BESIDE_POST }, [["id"], ["publisherId", "idempotencyHash"]]),
  /** Its next delivery gets the id `nextDelivery`. */
  subscription: record({ ...subscription, nextDelivery: count }, [["id"]]),
  delivery: DELIVERY,
  told_series: TOLD_SERIES,
  /** A claimed one counts as due: its claimant does not come along. */
  push: PUSH,
  inbox: INBOX,
  report: REPORT,
  moderation: MODERATION,
  counter: COUNTER,
  /** The work is due since the last change of the post. */
  work: WORK,
} as const satisfies Record<string, RowRecord>;

export type RowKind = keyof typeof MOVED;
export type BoardRows = { [K in RowKind]: RowOf<(typeof MOVED)[K]> };
export const ROW_KINDS = Object.keys(MOVED) as RowKind[];
