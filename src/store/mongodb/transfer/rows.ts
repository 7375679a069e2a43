import type { ClientSession, Sort } from "mongodb";
import { preparationIn } from "../../../ports/store/index.ts";
import type { BoardRows, RowKind } from "../../../ports/store/transfer.ts";
import { unclaimedPush } from "../../rules/settling.ts";
import type { Collections, MongodbContext } from "../database/context.ts";
import { NOT_OF_PUBLISHERS, postOfDocument, vectorOfBinary } from "../database/posts.ts";
import { withSubscription } from "../database/reads.ts";
import { type DocumentOf, rowOf } from "../database/rows.ts";
import {
  type PostDocument,
  type PushDocument,
  type SubscriptionDocument,
  timeOf,
} from "../database/schema/documents.ts";
import { pushRecordOfDocument, subscriptionOfDocument } from "../database/subscriptions.ts";
import { waiting } from "../database/work.ts";

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

const rows =
  <K extends RowKind>(...others: string[]) =>
  async (_context: MongodbContext, documents: DocumentOf<BoardRows[K]>[]) =>
    documents.map((document) => rowOf<BoardRows[K]>(document, others));

/** Rows of a removed subscription are left out: they are being deleted. */
const ofSubscriptions =
  <K extends "delivery" | "inbox">() =>
  async (
    context: MongodbContext,
    documents: (DocumentOf<BoardRows[K]> & { subscription_id: string | null })[],
    reading: Reading,
  ) =>
    rows<K>("_id")(context, await withSubscription(context, documents, reading));

export const DOCUMENT_SOURCES: { readonly [K in RowKind]: Source<K> } = {
  setting: {
    collection: "settings",
    rowsOf: async (_context, documents: { _id: string; value: string }[]) =>
      documents.map(({ _id, value }) => ({ name: _id, value })),
  },
  publisher: { collection: "publishers", rowsOf: rows<"publisher">(...NOT_OF_PUBLISHERS) },
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
  delivery: { collection: "deliveries", rowsOf: ofSubscriptions<"delivery">() },
  push: {
    collection: "pushes",
    rowsOf: async (context, documents: PushDocument[], reading) =>
      (await withSubscription(context, documents, reading)).map(unclaimed),
  },
  inbox: { collection: "inbox", rowsOf: ofSubscriptions<"inbox">() },
  report: { collection: "reports", rowsOf: rows<"report">() },
  moderation: { collection: "moderation", order: { at: 1, _id: 1 }, rowsOf: rows<"moderation">("_id") },
  counter: { collection: "daily_counters", rowsOf: rows<"counter">("_id") },
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
