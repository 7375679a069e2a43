import type { PublisherStore, StoredPublisher } from "../../../ports/store/index.ts";
import { changedRow, inOrder, limitIds } from "../../rules/rows.ts";
import { erasePublisherDocuments } from "../posts/erasure.ts";
import { dateOf, type PublisherDocument, timeOf } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { openInbox } from "../subscriptions/inbox.ts";
import { copyStatusToPosts, isSameStatus } from "./status.ts";

export function mongodbPublisherStore(context: MongodbContext): PublisherStore {
  const { connection, collections } = context;
  const { publishers } = collections;
  const { run, write } = connection;

  return {
    async insert(publisher) {
      await write([`publisher:${publisher.id}`], async (session) => {
        await publishers.insertOne(newPublisher(publisher), { session });
        await openInbox(context, session, publisher.id);
      });
      context.wrote({ publishers: [publisher.id] });
    },

    get: (id) => run(async () => maybe(await publishers.findOne({ _id: id, erasing: false }))),

    async many(ids) {
      limitIds(ids);
      return run(async () => {
        const found = await publishers.find({ _id: { $in: ids }, erasing: false }).toArray();
        return inOrder(ids, found.map(publisherOfDocument));
      });
    },

    byKeyHash: (keyHash) =>
      run(async () => maybe(await publishers.findOne({ key_hash: keyHash, erasing: false }))),

    async update(id, change) {
      const done = await write([`publisher:${id}`], async (session) => {
        const before = await publishers.findOne({ _id: id, erasing: false }, { session });
        if (before === null) return null;
        const row = publisherOfDocument(before);
        const after = changedRow(row, change);
        if (after === row) return { after, moved: false };
        const fields = changeable(after);
        const moved = !isSameStatus(before, fields);
        await publishers.updateOne(
          { _id: id },
          { $set: { ...fields, spreading: before.spreading || moved } },
          { session },
        );
        return { after, moved };
      });
      if (done === null) return null;
      context.wrote({ publishers: [id] });
      if (done.moved) await copyStatusToPosts(context, id);
      return done.after;
    },

    erase: (id) => erasePublisherDocuments(context, id),

    dueForCheck: (before, limit) =>
      run(async () => {
        // Never checked counts as longest ago: null sorts before every date.
        const due = {
          verified_at: { $type: "date" },
          checked_at: { $not: { $gte: new Date(before) } },
        } as const;
        const found = await publishers.find(due).sort({ checked_at: 1, _id: 1 }).limit(limit).toArray();
        return found.map(publisherOfDocument);
      }),
  };
}

export function newPublisher(publisher: StoredPublisher): PublisherDocument {
  const { id, postCount, createdAt } = publisher;
  const own = { _id: id, post_count: postCount, created_at: new Date(createdAt) };
  return { ...own, ...changeable(publisher), erasing: false, spreading: false };
}

/** The fields that may change. */
function changeable(
  publisher: StoredPublisher,
): Omit<PublisherDocument, "_id" | "post_count" | "created_at" | "erasing" | "spreading"> {
  return {
    name: publisher.name,
    description: publisher.description,
    url: publisher.url,
    domain: publisher.domain,
    verify_token: publisher.verifyToken,
    verified_at: dateOf(publisher.verifiedAt),
    verified_via: publisher.verifiedVia,
    checked_at: dateOf(publisher.checkedAt),
    suspended_at: dateOf(publisher.suspendedAt),
    key_hash: publisher.keyHash,
  };
}

const maybe = (document: PublisherDocument | null) =>
  document === null ? null : publisherOfDocument(document);

export function publisherOfDocument(document: PublisherDocument): StoredPublisher {
  return {
    id: document._id,
    name: document.name,
    description: document.description,
    url: document.url,
    domain: document.domain,
    verifyToken: document.verify_token,
    verifiedAt: timeOf(document.verified_at),
    verifiedVia: document.verified_via,
    checkedAt: timeOf(document.checked_at),
    suspendedAt: timeOf(document.suspended_at),
    keyHash: document.key_hash,
    postCount: document.post_count,
    createdAt: document.created_at.getTime(),
  };
}
