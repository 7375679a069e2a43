import type { Filter } from "mongodb";
import type { PostStore } from "../../../ports/store/index.ts";
import { limitIds } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { postOfDocument } from "../database/posts.ts";
import { findPosts, listPosts, oneByOne, postWithKey } from "../database/reads.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { removePostDocument, updatePostDocument } from "./changes.ts";
import { erasePostDocuments } from "./erasure.ts";
import { insertPostDocuments } from "./inserts.ts";
import { enqueueMissingVectorDocuments, readVectorDocuments, setVectorDocuments } from "./vectors.ts";

export function mongodbPostStore(context: MongodbContext): PostStore {
  const { connection, collections } = context;
  const { run } = connection;

  const many = (ids: readonly string[]) =>
    run(async () => {
      const found = await findPosts(context, ids);
      return ids.flatMap((id) => found.get(id) ?? []).map(postOfDocument);
    });

  return {
    insert: insertPostDocuments(context),
    get: oneByOne(many),
    byIdempotency: (publisherId, idempotencyHash) =>
      run(async () => {
        const found = await postWithKey(context, publisherId, idempotencyHash);
        return found === null ? null : postOfDocument(found);
      }),

    async many(ids) {
      limitIds(ids);
      return many(ids);
    },

    replies(parentId, { after, limit }) {
      const thread: Filter<PostDocument> = { parent_id: parentId, state: "active" };
      if (connection.sharded) thread.root = parentId;
      if (after !== null) {
        const at = new Date(after.at);
        // The separate bound is where the index walk starts; inside `$or` it would only filter.
        thread.created_at = { $gte: at };
        thread.$or = [{ created_at: { $gt: at } }, { _id: { $gt: after.id } }];
      }
      return run(() => listPosts(context, thread, { sort: { created_at: 1, _id: 1 }, limit }));
    },

    byPublisher: (publisherId, limit) =>
      run(() =>
        listPosts(
          context,
          { publisher_id: publisherId, state: "active" },
          { sort: { created_at: -1, _id: -1 }, limit },
        ),
      ),

    written({ publisherId, since = 0, hidden = false }, { before, limit }) {
      const filter: Filter<PostDocument> = {
        state: hidden ? "hidden" : { $in: ["active", "hidden"] },
        created_at: { $gte: new Date(since), ...(before && { $lte: new Date(before.at) }) },
      };
      if (publisherId !== undefined) filter.publisher_id = publisherId;
      if (before !== null)
        filter.$or = [{ created_at: { $lt: new Date(before.at) } }, { _id: { $lt: before.id } }];
      return run(() => listPosts(context, filter, { sort: { created_at: -1, _id: -1 }, limit }));
    },

    update: (id, change, options) => updatePostDocument(context, id, change, options),
    remove: (id, now) => removePostDocument(context, id, now),

    lastRemoved: (since, limit) =>
      run(async () => {
        const documents = await collections.posts
          .find<PostDocument & { removed_at: Date }>(
            { state: "removed", starts_at: { $type: "date" }, removed_at: { $gte: new Date(since) } },
            { projection: { vec: 0 }, sort: { removed_at: -1, _id: 1 }, limit },
          )
          .toArray();
        return documents.map((document) => ({
          ...postOfDocument(document),
          removedAt: document.removed_at.getTime(),
        }));
      }),

    async addRetrievals(counts) {
      const writes = Array.from(counts, ([_id, retrievals]) => ({
        updateOne: { filter: { _id }, update: { $inc: { retrievals } } },
      }));
      if (writes.length > 0) await run(() => collections.posts.bulkWrite(writes, { ordered: false }));
    },

    setVectors: (rows, settled = []) => setVectorDocuments(context, rows, settled),
    async vectors(ids, model) {
      limitIds(ids);
      return run(() => readVectorDocuments(context, ids, model));
    },
    enqueueMissingVectors: (maker, limit) => enqueueMissingVectorDocuments(context, maker, limit),

    erase: (before, limit) => erasePostDocuments(context, before, limit),
  };
}
