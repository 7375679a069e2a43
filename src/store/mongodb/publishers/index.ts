import type { Filter } from "mongodb";
import type { PublisherStore } from "../../../ports/store/index.ts";
import { PUBLISHER } from "../../../records/publisher.ts";
import { changedRow, limitIds } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { newPublisher, publisherOfDocument } from "../database/posts.ts";
import { oneByOne } from "../database/reads.ts";
import { documentOf } from "../database/rows.ts";
import type { PublisherDocument } from "../database/schema/documents.ts";
import { ANY_CASE } from "../database/schema/indexes.ts";
import { erasePublisherDocuments } from "./erasure.ts";
import { isSameStatus, spreadStatus } from "./status.ts";

export function mongodbPublisherStore(context: MongodbContext): PublisherStore {
  const { connection, collections } = context;
  const { publishers } = collections;
  const { run, write } = connection;

  const get = oneByOne((ids: readonly string[]) =>
    run(async () => {
      const found = await publishers.find({ _id: { $in: ids }, erasing: false }).toArray();
      return found.map(publisherOfDocument);
    }),
  );
  return {
    async insert(publisher) {
      await run(() => publishers.insertOne(newPublisher(publisher)));
      context.wrote({ publishers: [publisher.id] });
    },

    get,

    async many(ids) {
      limitIds(ids);
      const found = await Promise.all(ids.map(get));
      return found.filter((row) => row !== null);
    },

    named: (text, limit) =>
      run(async () => {
        // Blanks and marks come before the digits.
        const named = { name: { $gte: text, $lt: `${text}0` }, erasing: false };
        const options = { collation: ANY_CASE, projection: { _id: 1 }, limit } as const;
        return (await publishers.find(named, options).toArray()).map(({ _id }) => _id);
      }),

    byKeyHash: (keyHash) =>
      run(async () => maybe(await publishers.findOne({ key_hash: keyHash, erasing: false }))),

    async update(id, change) {
      const done = await write([`publisher:${id}`], async (session) => {
        const before = await publishers.findOne({ _id: id, erasing: false }, { session });
        if (before === null) return null;
        const row = publisherOfDocument(before);
        const after = changedRow(row, change);
        if (after === row) return { after, spreading: false };
        const { _id, post_count, created_at, ...fields } = documentOf(PUBLISHER, after);
        const spreading = before.spreading || !isSameStatus(before, fields);
        await publishers.updateOne({ _id: id }, { $set: { ...fields, spreading } }, { session });
        return { after, spreading };
      });
      if (done === null) return null;
      if (done.spreading) await spreadStatus(context);
      context.wrote({ publishers: [id] });
      return done.after;
    },

    erase: (id) => erasePublisherDocuments(context, id),

    registered: (since, { before, limit }) =>
      run(async () => {
        const filter: Filter<PublisherDocument> = {
          erasing: false,
          created_at: { $gte: new Date(since), ...(before && { $lte: new Date(before.at) }) },
        };
        if (before !== null)
          filter.$or = [{ created_at: { $lt: new Date(before.at) } }, { _id: { $lt: before.id } }];
        const found = publishers.find(filter, { sort: { created_at: -1, _id: -1 }, limit });
        return (await found.toArray()).map(publisherOfDocument);
      }),

    dueForCheck: (before, limit) =>
      run(async () => {
        // Never checked counts as longest ago: null sorts before every date.
        const due = {
          verified_at: { $type: "date" },
          checked_at: { $not: { $gte: new Date(before) } },
        } as const;
        const found = await publishers.find(due, { sort: { checked_at: 1, _id: 1 }, limit }).toArray();
        return found.map(publisherOfDocument);
      }),
  };
}

const maybe = (document: PublisherDocument | null) =>
  document === null ? null : publisherOfDocument(document);
