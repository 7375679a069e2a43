import type { Document, Sort } from "mongodb";
import { makerName, preparationIn } from "../../ports/store/index.ts";
import { type BoardRows, MOVED, OF_HOSTS, type RowKind } from "../../records/index.ts";
import { unclaimedPush } from "../rules/settling.ts";
import { counterChange } from "./board/statistics.ts";
import type { Collections } from "./database/context.ts";
import {
  binaryOf,
  documentOfPost,
  newPublisher,
  postOfDocument,
  statusFields,
  vectorOfBinary,
} from "./database/posts.ts";
import { documentOf } from "./database/rows.ts";
import {
  dateOf,
  type PostDocument,
  type PublisherDocument,
  type PushDocument,
  type SubscriptionDocument,
  timeOf,
} from "./database/schema/documents.ts";
import {
  destinationOf,
  pushId,
  pushRecordOfDocument,
  subscriptionFields,
  UNCLAIMED,
} from "./database/subscriptions.ts";
import { DUE_WORK, waiting } from "./database/work.ts";
import { deliveryDocument, readToldSeries, toldSeriesDocument } from "./subscriptions/deliveries.ts";
import { entryId } from "./subscriptions/inbox.ts";

/** These documents hold rows of a kind. */
export interface Part<Row> {
  filter?: Document;
  // biome-ignore lint/suspicious/noExplicitAny: the documents of each collection; each part names its own
  read(document: any): Row;
}

export interface Moving<Row> {
  collection: keyof Collections;
  /** Parts are read one after another; by default all documents are at once, by the fields of the record. */
  parts?: readonly Part<Row>[];
  /** An index has this order; by default that of ids. */
  order?: Sort;
  /** Each row is written by one insert or one update. */
  insert?(row: Row, owners: Owners, nextNo: () => number): object;
  update?(row: Row, owners: Owners): object;
}

export const MOVING: { readonly [K in RowKind]: Moving<BoardRows[K]> } = {
  setting: {
    collection: "settings",
    parts: [{ read: ({ _id, value }) => ({ name: _id, value }) }],
    update: ({ name, value }) => ({ filter: { _id: name }, update: { $set: { value } }, upsert: true }),
  },
  publisher: { collection: "publishers", insert: newPublisher },
  post: {
    collection: "posts",
    // Roots come first by a filter of their own: ids name their thread by convention only.
    parts: [false, true].map((is_reply) => ({ filter: { is_reply }, read: movedPost })),
    insert: (row, { publisher }) => postDocument(row, there(publisher, row.publisherId)),
  },
  subscription: {
    collection: "subscriptions",
    insert: ({ nextDelivery, ...row }, _owners, nextNo) => ({
      ...subscriptionFields({ ...row, ...OF_HOSTS }),
      next_delivery: nextDelivery,
      change_no: nextNo(),
    }),
  },
  delivery: { collection: "deliveries", insert: deliveryDocument },
  told_series: {
    collection: "told_series",
    parts: [{ read: readToldSeries }],
    insert: toldSeriesDocument,
  },
  push: {
    collection: "pushes",
    parts: [{ read: unclaimed }],
    insert: (row, { subscription }) => ({
      _id: pushId(row.subscriptionId, row.deliveryId),
      ...documentOf(MOVED.push, row),
      ...UNCLAIMED,
      ...destinationOf(there(subscription, row.subscriptionId)),
    }),
  },
  inbox: {
    collection: "inbox",
    insert: (row) => ({ _id: entryId(row.publisherId, row.no), ...documentOf(MOVED.inbox, row) }),
  },
  report: { collection: "reports", insert: (row) => documentOf(MOVED.report, row) },
  moderation: {
    collection: "moderation",
    order: { at: 1, _id: 1 },
    insert: (row) => documentOf(MOVED.moderation, row),
  },
  counter: { collection: "daily_counters", update: (row) => counterChange(row).updateOne },
  work: {
    collection: "posts",
    parts: (["match", "embed"] as const).map((kind) => ({
      filter: waiting(kind),
      read: ({ _id }: PostDocument) => ({ kind, postId: _id }),
    })),
    update: ({ kind, postId }, { post }) => {
      const { root } = there(post, postId);
      return { filter: { _id: postId, root }, update: { $set: { [kind]: DUE_WORK } } };
    },
  },
};

function movedPost(document: PostDocument): BoardRows["post"] {
  const { vec, vec_model, vec_maker } = document;
  return {
    ...postOfDocument(document),
    removedAt: timeOf(document.removed_at),
    embedding:
      vec_model == null || vec === undefined
        ? null
        : { model: vec_model, ...preparationIn(vec_maker, vec_model), vector: vectorOfBinary(vec) },
  };
}

function unclaimed(document: PushDocument): BoardRows["push"] {
  const record = pushRecordOfDocument(document);
  if (document.token === null) return record;
  return { ...record, ...unclaimedPush({ ...record, againAt: timeOf(document.again_at) }) };
}

function postDocument(
  { removedAt, embedding, ...post }: BoardRows["post"],
  publisher: PublisherDocument,
): PostDocument {
  const document = { ...documentOfPost(post, statusFields(publisher)), removed_at: dateOf(removedAt) };
  if (embedding === null) return document;
  const { model, vector } = embedding;
  return { ...document, vec_model: model, vec_maker: makerName(embedding), vec: binaryOf(vector) };
}

/** Rows belong to these, by id. */
export interface Owners {
  publisher: ReadonlyMap<string, PublisherDocument>;
  subscription: ReadonlyMap<string, SubscriptionDocument>;
  post: ReadonlyMap<string, PostDocument>;
}

/** @throws Error when it was not found */
export function there<T>(found: ReadonlyMap<string, T>, id: string): T {
  const one = found.get(id);
  if (one === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return one;
}
