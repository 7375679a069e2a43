import type { AnyBulkWriteOperation, ClientSession, Collection } from "mongodb";
import { makerName } from "../../../ports/store/index.ts";
import type { RowPage } from "../../../ports/store/transfer.ts";
import { type BoardRows, MOVED, OF_HOSTS, type RowKind } from "../../../records/index.ts";
import { counterChange } from "../board/statistics.ts";
import type { Collections, MongodbContext } from "../database/context.ts";
import { binaryOf, documentOfPost, newPublisher, statusFields } from "../database/posts.ts";
import { documentOf } from "../database/rows.ts";
import {
  dateOf,
  type PostDocument,
  type PublisherDocument,
  type SubscriptionDocument,
} from "../database/schema/documents.ts";
import { destinationOf, pushId, subscriptionFields, UNCLAIMED } from "../database/subscriptions.ts";
import { DUE_WORK } from "../database/work.ts";
import { nextChange, raiseChanges } from "../subscriptions/changes.ts";
import { deliveryDocument } from "../subscriptions/deliveries.ts";
import { entryId } from "../subscriptions/inbox.ts";

/** See `TransferStore.write`; runs inside a transaction. */
export async function writePageDocuments(
  context: MongodbContext,
  session: ClientSession,
  pages: readonly RowPage[],
  mark: { name: string; from: string | null; to: string },
): Promise<void> {
  const saved = pages.flatMap(({ kind, rows }) => (kind === "subscription" ? rows : []));
  const changes = saved.length;
  // The sequence comes first in every transaction that raises it.
  let changeNo = changes === 0 ? 0 : (await nextChange(context, session, changes)) - changes;
  if (changes > 0) await raiseChanges(context, Math.max(...saved.map(({ savedNo }) => savedNo)), session);
  const nextNo = () => {
    changeNo += 1;
    return changeNo;
  };
  await moveMark(context, session, mark);
  for (const { kind, rows } of pages) {
    const owners = await ownersOf(context, session, kind, rows);
    const { collection, insert, update }: Writer<BoardRows[RowKind]> = WRITERS[kind];
    const documents = context.collections[collection] as unknown as Collection;
    if (insert !== undefined)
      await documents.insertMany(
        rows.map((row) => insert(row, owners, nextNo)),
        { session },
      );
    if (update !== undefined) {
      const writes = rows.map((row) => ({ updateOne: update(row, owners) }));
      await documents.bulkWrite(writes as AnyBulkWriteOperation[], { session });
    }
  }
}

async function moveMark(
  { collections: { settings } }: MongodbContext,
  session: ClientSession,
  { name, from, to }: { name: string; from: string | null; to: string },
): Promise<void> {
  const found = await settings.findOne({ _id: name }, { session });
  if ((found?.value ?? null) !== from) throw new Error("Another import is writing to this board.");
  await settings.updateOne({ _id: name }, { $set: { value: to } }, { session, upsert: true });
}

/** How the rows of a kind are written, each by one insert or one update. */
interface Writer<Row> {
  collection: keyof Collections;
  insert?(row: Row, owners: Owners, nextNo: () => number): object;
  update?(row: Row, owners: Owners): object;
}

const WRITERS: { readonly [K in RowKind]: Writer<BoardRows[K]> } = {
  setting: {
    collection: "settings",
    update: ({ name, value }) => ({ filter: { _id: name }, update: { $set: { value } }, upsert: true }),
  },
  publisher: { collection: "publishers", insert: (row) => newPublisher(row) },
  post: {
    collection: "posts",
    insert: (row, { publishers }) => postDocument(row, there(publishers, row.publisherId)),
  },
  subscription: {
    collection: "subscriptions",
    insert: ({ nextDelivery, ...row }, _owners, nextNo) => ({
      ...subscriptionFields({ ...row, ...OF_HOSTS }),
      next_delivery: nextDelivery,
      change_no: nextNo(),
    }),
  },
  delivery: { collection: "deliveries", insert: (row) => deliveryDocument(row) },
  push: {
    collection: "pushes",
    insert: (row, { subscriptions }) => ({
      _id: pushId(row.subscriptionId, row.deliveryId),
      ...documentOf(MOVED.push, row),
      ...UNCLAIMED,
      ...destinationOf(there(subscriptions, row.subscriptionId)),
    }),
  },
  inbox: {
    collection: "inbox",
    insert: (row) => ({ _id: entryId(row.publisherId, row.no), ...documentOf(MOVED.inbox, row) }),
  },
  report: { collection: "reports", insert: (row) => documentOf(MOVED.report, row) },
  moderation: { collection: "moderation", insert: (row) => documentOf(MOVED.moderation, row) },
  counter: { collection: "daily_counters", update: (row) => counterChange(row).updateOne },
  work: {
    collection: "posts",
    update: ({ kind, postId }, { posts }) => {
      const { root } = there(posts, postId);
      return { filter: { _id: postId, root }, update: { $set: { [kind]: DUE_WORK } } };
    },
  },
};

function postDocument(
  { removedAt, embedding, ...post }: BoardRows["post"],
  publisher: { verified_at: Date | null; suspended_at: Date | null },
): PostDocument {
  const document: PostDocument = {
    ...documentOfPost(post, statusFields(publisher)),
    removed_at: dateOf(removedAt),
  };
  return embedding === null
    ? document
    : {
        ...document,
        vec_model: embedding.model,
        vec_maker: makerName(embedding),
        vec: binaryOf(embedding.vector),
      };
}

/** What rows belong to, by id. */
interface Owners {
  publishers: ReadonlyMap<string, PublisherDocument>;
  subscriptions: ReadonlyMap<string, SubscriptionDocument>;
  posts: ReadonlyMap<string, PostDocument>;
}

/** The collection of what a field names. A push stays as a record when its post is gone. */
const OWNERS: Readonly<Record<string, keyof Owners>> = {
  publisherId: "publishers",
  subscriptionId: "subscriptions",
  postId: "posts",
  parentId: "posts",
};

/** @throws Error when one of them is neither there nor among the rows */
async function ownersOf(
  context: MongodbContext,
  session: ClientSession,
  kind: RowKind,
  rows: readonly object[],
): Promise<Owners> {
  const ids = { publishers: new Set<string>(), subscriptions: new Set<string>(), posts: new Set<string>() };
  for (const [field, value] of rows.flatMap((row) => Object.entries(row))) {
    const owner = OWNERS[field];
    if (owner !== undefined && typeof value === "string" && !(kind === "push" && owner === "posts"))
      ids[owner].add(value);
  }
  for (const row of rows) if ("id" in row) ids.posts.delete(String(row.id));
  const found = async <T>(name: keyof Owners): Promise<ReadonlyMap<string, T>> => {
    const documents = context.collections[name] as unknown as Collection<{ _id: string }>;
    const options = { session, projection: { query: 0, vector: 0, body: 0, vec: 0 } };
    const those = await documents.find({ _id: { $in: [...ids[name]] } }, options).toArray();
    const byId = new Map(those.map((one) => [one._id, one as T]));
    for (const id of ids[name]) there(byId, id);
    return byId;
  };
  return {
    publishers: await found("publishers"),
    subscriptions: await found("subscriptions"),
    posts: await found("posts"),
  };
}

function there<T>(found: ReadonlyMap<string, T>, id: string): T {
  const one = found.get(id);
  if (one === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return one;
}
