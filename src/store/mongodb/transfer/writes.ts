import type { ClientSession, Collection, Document, Filter } from "mongodb";
import type { BoardRows, RowKind, RowPage } from "../../../ports/store/transfer.ts";
import { makerName } from "../../../ports/vector-maker.ts";
import { counterChange } from "../board/statistics.ts";
import type { MongodbContext } from "../database/context.ts";
import { binaryOf, documentOfPost, publisherDocumentStatus, WRITTEN } from "../database/posts.ts";
import { newPublisher } from "../database/publishers.ts";
import { destinationOf, pushId, UNCLAIMED } from "../database/pushes.ts";
import { findPosts } from "../database/reads.ts";
import { documentOf } from "../database/rows.ts";
import { dateOf, type PostDocument } from "../database/schema/documents.ts";
import { newSubscription } from "../database/subscriptions.ts";
import { dueWork } from "../database/work.ts";
import { nextChange } from "../subscriptions/changes.ts";
import { deliveryDocument } from "../subscriptions/deliveries.ts";
import { entryId } from "../subscriptions/inbox.ts";

/** See `TransferStore.write`; runs inside a transaction. */
export async function writePageDocuments(
  context: MongodbContext,
  session: ClientSession,
  pages: readonly RowPage[],
  mark: { name: string; from: string | null; to: string },
): Promise<void> {
  const changes = pages.reduce((n, { kind, rows }) => n + (kind === "subscription" ? rows.length : 0), 0);
  // The sequence comes first in every transaction that raises it.
  let changeNo = changes === 0 ? 0 : (await nextChange(context, session, changes)) - changes;
  await moveMark(context, session, mark);
  for (const page of pages) {
    if (page.kind === "subscription") {
      await writeSubscriptions(context, session, page.rows, changeNo);
      changeNo += page.rows.length;
    } else {
      const write = WRITERS[page.kind] as Writer<BoardRows[RowKind]>;
      await write(context, session, page.rows);
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

type Writer<Row> = (context: MongodbContext, session: ClientSession, rows: readonly Row[]) => Promise<void>;

const WRITERS: { readonly [K in Exclude<RowKind, "subscription">]: Writer<BoardRows[K]> } = {
  async setting({ collections }, session, rows) {
    await collections.settings.bulkWrite(
      rows.map(({ name, value }) => ({
        updateOne: { filter: { _id: name }, update: { $set: { value } }, upsert: true },
      })),
      { session },
    );
  },

  async publisher({ collections }, session, rows) {
    await collections.publishers.insertMany(rows.map(newPublisher), { session });
  },

  async post(context, session, rows) {
    const publishers = await publishersOf(context, session, rows);
    const ids = new Set(rows.map(({ id }) => id));
    const parents = rows.flatMap(({ parentId }) => (parentId === null || ids.has(parentId) ? [] : parentId));
    await postsOf(context, session, parents);
    await context.collections.posts.insertMany(
      rows.map((row) => postDocument(row, there(publishers, row.publisherId))),
      { session },
    );
  },

  async delivery(context, session, rows) {
    await subscriptionsOf(context, session, rows);
    await postsOf(context, session, idsOf(rows));
    await context.collections.deliveries.insertMany(rows.map(deliveryDocument), { session });
  },

  async push(context, session, rows) {
    const ids = new Set(rows.map(({ subscriptionId }) => subscriptionId));
    const receivers = await existing(context.collections.subscriptions, session, ids, {
      query: 0,
      vector: 0,
    });
    await context.collections.pushes.insertMany(
      rows.map((row) => ({
        _id: pushId(row.subscriptionId, row.deliveryId),
        ...documentOf(row),
        ...UNCLAIMED,
        ...destinationOf(there(receivers, row.subscriptionId)),
      })),
      { session },
    );
  },

  async inbox(context, session, rows) {
    await publishersOf(context, session, rows);
    await subscriptionsOf(context, session, rows);
    await postsOf(context, session, idsOf(rows));
    await context.collections.inbox.insertMany(
      rows.map((row) => ({ _id: entryId(row.publisherId, row.no), ...documentOf(row) })),
      { session },
    );
  },

  async report(context, session, rows) {
    await postsOf(context, session, idsOf(rows));
    await context.collections.reports.insertMany(
      rows.map((row) => documentOf(row)),
      { session },
    );
  },

  async reported(context, session, rows) {
    await postsOf(context, session, idsOf(rows));
    await context.collections.reported_posts.insertMany(
      rows.map(({ postId, reporters, lastAt }) => ({ _id: postId, reporters, last_at: new Date(lastAt) })),
      { session },
    );
  },

  async moderation({ collections }, session, rows) {
    await collections.moderation.insertMany(
      rows.map((row) => documentOf(row)),
      { session },
    );
  },

  async counter({ collections }, session, rows) {
    await collections.daily_counters.bulkWrite(rows.map(counterChange), { session });
  },

  async work(context, session, rows) {
    const posts = await postsOf(context, session, idsOf(rows));
    await context.collections.posts.bulkWrite(
      rows.map(({ kind, postId }) => {
        const { root, updated_at } = there(posts, postId);
        const update = { $set: { [kind]: dueWork(updated_at.getTime()) } };
        return { updateOne: { filter: { _id: postId, root }, update } };
      }),
      { session },
    );
  },
};

async function writeSubscriptions(
  context: MongodbContext,
  session: ClientSession,
  rows: readonly BoardRows["subscription"][],
  changeNo: number,
): Promise<void> {
  await publishersOf(context, session, rows);
  await context.collections.subscriptions.insertMany(
    rows.map(({ nextDelivery, ...subscription }, n) => ({
      ...newSubscription(subscription, changeNo + n + 1),
      next_delivery: nextDelivery,
    })),
    { session },
  );
}

function postDocument(
  { removedAt, embedding, ...post }: BoardRows["post"],
  publisher: { verified_at: Date | null; suspended_at: Date | null },
): PostDocument {
  const document: PostDocument = {
    ...documentOfPost(post, publisherDocumentStatus(publisher)),
    removed_at: dateOf(removedAt),
  };
  if (post.state === "removed") {
    for (const field of Object.keys(WRITTEN) as (keyof typeof WRITTEN)[]) delete document[field];
    return document;
  }
  return embedding === null
    ? document
    : {
        ...document,
        vec_model: embedding.model,
        vec_maker: makerName(embedding),
        vec: binaryOf(embedding.vector),
      };
}

const idsOf = (rows: readonly { postId: string }[]) => rows.map(({ postId }) => postId);

/** @throws Error when one of them is not there */
async function postsOf(context: MongodbContext, session: ClientSession, ids: readonly string[]) {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map<string, PostDocument>();
  const found = await findPosts(context, unique, session, { updated_at: 1, root: 1 });
  for (const id of unique) there(found, id);
  return found;
}

const publishersOf = (
  { collections }: MongodbContext,
  session: ClientSession,
  rows: readonly { publisherId: string }[],
) => existing(collections.publishers, session, new Set(rows.map(({ publisherId }) => publisherId)));

async function subscriptionsOf(
  { collections }: MongodbContext,
  session: ClientSession,
  rows: readonly { subscriptionId: string | null }[],
): Promise<string[]> {
  const ids = new Set(rows.flatMap(({ subscriptionId }) => subscriptionId ?? []));
  return [...(await existing(collections.subscriptions, session, ids, { _id: 1 })).keys()];
}

/** @throws Error when one of them is not there */
async function existing<T extends { _id: string }>(
  collection: Collection<T>,
  session: ClientSession,
  ids: ReadonlySet<string>,
  projection: Document = {},
) {
  const those = { _id: { $in: [...ids] } } as Filter<T>;
  const documents = ids.size === 0 ? [] : await collection.find(those, { session, projection }).toArray();
  const found = new Map(documents.map((document) => [document._id as string, document]));
  for (const id of ids) there(found, id);
  return found;
}

function there<T>(found: ReadonlyMap<string, T>, id: string): T {
  const one = found.get(id);
  if (one === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return one;
}
