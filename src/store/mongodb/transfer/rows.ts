import type { ClientSession, Sort } from "mongodb";
import type { BoardRows, RowKind } from "../../../ports/store/transfer.ts";
import { preparationIn } from "../../../ports/vector-maker.ts";
import { unclaimedPush } from "../../rules/settling.ts";
import type { MongodbContext } from "../database/context.ts";
import { postOfDocument, vectorOfBinary } from "../database/posts.ts";
import { publisherOfDocument } from "../database/publishers.ts";
import { pushRecordOfDocument } from "../database/pushes.ts";
import { withSubscription } from "../database/reads.ts";
import type { Collections } from "../database/schema/collections.ts";
import type {
  DailyCounterDocument,
  DeliveryDocument,
  InboxDocument,
  ModerationDocument,
  PostDocument,
  PublisherDocument,
  PushDocument,
  ReportDocument,
  ReportedPostDocument,
  SettingDocument,
  SubscriptionDocument,
} from "../database/schema/documents.ts";
import { timeOf } from "../database/schema/documents.ts";
import { subscriptionOfDocument } from "../database/subscriptions.ts";
import { waiting } from "../database/work.ts";
import { inboxEntryOf } from "../subscriptions/inbox.ts";

type Reading = { session: ClientSession; readConcern: { level: "snapshot" } };

/** Where the rows of a kind are, in the order of an index. */
export interface Source<K extends RowKind> {
  collection: keyof Collections;
  /** Whose documents, added up, are as many as the rows; default: all. */
  counted?: readonly object[];
  /** Read one after another; default: all. */
  filters?: readonly object[];
  /** Default: by id. */
  order?: Sort;
  // biome-ignore lint/suspicious/noExplicitAny: the documents of each collection; each source names its own
  rowsOf(context: MongodbContext, documents: any[], reading: Reading): Promise<BoardRows[K][]>;
}

/** Rows of a removed subscription are left out: they are being deleted. */
export const DOCUMENT_SOURCES: { readonly [K in RowKind]: Source<K> } = {
  setting: {
    collection: "settings",
    rowsOf: async (_context, documents: SettingDocument[]) =>
      documents.map(({ _id, value }) => ({ name: _id, value })),
  },
  publisher: {
    collection: "publishers",
    rowsOf: async (_context, documents: PublisherDocument[]) =>
      documents.map((document) => ({ ...publisherOfDocument(document), inboxNo: document.inbox_no })),
  },
  // Roots come first by a filter of their own: ids name their thread by convention only.
  post: { collection: "posts", filters: [{ is_reply: false }, { is_reply: true }], rowsOf: posts },
  subscription: {
    collection: "subscriptions",
    rowsOf: async (_context, documents: SubscriptionDocument[]) =>
      documents.map((document) => ({
        ...subscriptionOfDocument(document),
        nextDelivery: document.next_delivery,
      })),
  },
  delivery: {
    collection: "deliveries",
    rowsOf: async (context, documents: DeliveryDocument[], reading) =>
      (await withSubscription(context, documents, reading)).map((document) => ({
        subscriptionId: document.subscription_id,
        postId: document.post_id,
        deliveryId: document.delivery_id,
        matchedAt: timeOf(document.matched_at),
      })),
  },
  push: {
    collection: "pushes",
    rowsOf: async (context, documents: PushDocument[], reading) =>
      (await withSubscription(context, documents, reading)).map(unclaimed),
  },
  inbox: {
    collection: "inbox",
    rowsOf: async (context, documents: InboxDocument[], reading) =>
      (await withSubscription(context, documents, reading)).map((document) => ({
        publisherId: document.publisher_id,
        ...inboxEntryOf(document),
      })),
  },
  report: {
    collection: "reports",
    rowsOf: async (_context, documents: ReportDocument[]) =>
      documents.map((document) => ({
        id: document._id,
        postId: document.post_id,
        reporter: document.reporter,
        addresses: document.addresses,
        reason: document.reason,
        details: document.details,
        createdAt: document.created_at.getTime(),
      })),
  },
  reported: {
    collection: "reported_posts",
    rowsOf: async (_context, documents: ReportedPostDocument[]) =>
      documents.map(({ _id, reporters, last_at }) => ({ postId: _id, reporters, lastAt: last_at.getTime() })),
  },
  moderation: {
    collection: "moderation",
    order: { at: 1, _id: 1 },
    rowsOf: async (_context, documents: ModerationDocument[]) =>
      documents.map(({ at, action, subject, actor, reason }) => ({
        at: at.getTime(),
        action,
        subject,
        actor,
        reason,
      })),
  },
  counter: {
    collection: "daily_counters",
    rowsOf: async (_context, documents: DailyCounterDocument[]) =>
      documents.map(({ day, name, n }) => ({ day, name, n })),
  },
  work: {
    collection: "posts",
    counted: [waiting("match"), waiting("embed")],
    filters: [{ $or: [waiting("match"), waiting("embed")] }],
    rowsOf: async (_context, documents: PostDocument[]) =>
      documents.flatMap((post) =>
        (["match", "embed"] as const).flatMap((kind) =>
          post[kind] === undefined ? [] : [{ kind, postId: post._id }],
        ),
      ),
  },
};

async function posts(_context: MongodbContext, documents: PostDocument[]): Promise<BoardRows["post"][]> {
  return documents.map((document) => ({
    ...postOfDocument(document),
    removedAt: timeOf(document.removed_at),
    embedding:
      document.vec_model == null || document.vec === undefined
        ? null
        : {
            model: document.vec_model,
            ...preparationIn(document.vec_maker, document.vec_model),
            vector: vectorOfBinary(document.vec),
          },
  }));
}

function unclaimed(document: PushDocument): BoardRows["push"] {
  const record = pushRecordOfDocument(document);
  if (document.token === null) return record;
  return { ...record, ...unclaimedPush({ ...record, againAt: timeOf(document.again_at) }) };
}
