import type { Filter } from "mongodb";
import type { PostStore } from "../../../ports/store/index.ts";
import { limitIds } from "../../rules/ids.ts";
import type { PostDocument } from "../schema/documents.ts";
import { postOf } from "../schema/posts.ts";
import type { Parts } from "../server/context.ts";
import { findPosts, postWithKey, retrievalsOf, storedPosts } from "../server/reads.ts";
import { insertPost, removePost, updatePost } from "./changes.ts";
import { erasePosts, finishErasures } from "./erasure.ts";
import { enqueueMissingVectors, setVectors, vectorsOf } from "./vectors.ts";

/** Counts written in one round trip. */
const COUNTS_PER_WRITE = 500;

export function postStore(parts: Parts): PostStore {
  const { connection, collections } = parts;
  const { posts } = collections;
  const { run } = connection;

  const many = (ids: readonly string[]) =>
    run(async () => {
      const [found, retrievals] = await Promise.all([findPosts(parts, ids), retrievalsOf(parts, ids)]);
      return ids.flatMap((id) => {
        const document = found.get(id);
        return document === undefined ? [] : [postOf(document, retrievals.get(id) ?? 0)];
      });
    });

  return {
    insert: (post, options = {}) => insertPost(parts, post, options.parentExpiresAt ?? null),
    get: async (id) => (await many([id]))[0] ?? null,
    byIdempotency: (publisherId, idempotencyHash) =>
      run(async () => {
        const found = await postWithKey(parts, publisherId, idempotencyHash);
        return found === null ? null : ((await storedPosts(parts, [found]))[0] ?? null);
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
        // The bound that stands alone is what the index walk begins at; within `$or` it would filter only.
        thread.created_at = { $gte: at };
        thread.$or = [{ created_at: { $gt: at } }, { _id: { $gt: after.id } }];
      }
      return run(async () =>
        storedPosts(
          parts,
          await posts.find(thread, WHOLE).sort({ created_at: 1, _id: 1 }).limit(limit).toArray(),
        ),
      );
    },

    byPublisher: (publisherId, limit) =>
      run(async () =>
        storedPosts(
          parts,
          await posts
            .find({ publisher_id: publisherId, state: "active" }, WHOLE)
            .sort({ created_at: -1, _id: -1 })
            .limit(limit)
            .toArray(),
        ),
      ),

    update: (id, change, options) => updatePost(parts, id, change, options),
    remove: (id, now) => removePost(parts, id, now),

    fingerprints: (publisherId, since, limit) =>
      run(async () => {
        const found = await posts
          .find(
            { publisher_id: publisherId, created_at: { $gte: new Date(since) } },
            { projection: { fingerprint: 1, created_at: 1 } },
          )
          .sort({ created_at: -1, _id: -1 })
          .limit(limit)
          .toArray();
        return found.map(({ _id, fingerprint, created_at }) => ({
          id: _id,
          fingerprint,
          createdAt: created_at.getTime(),
        }));
      }),

    async addRetrievals(counts) {
      const entries = [...counts];
      for (let start = 0; start < entries.length; start += COUNTS_PER_WRITE) {
        const some = entries.slice(start, start + COUNTS_PER_WRITE);
        await run(async () => {
          const ids = some.map(([id]) => id);
          const known = await findPosts(parts, ids, undefined, { _id: 1 });
          const counted = some.filter(([id]) => known.has(id));
          if (counted.length === 0) return;
          await collections.retrievals.bulkWrite(
            counted.map(([id, n]) => ({
              updateOne: { filter: { _id: id }, update: { $inc: { n } }, upsert: true },
            })),
            { ordered: false },
          );
        });
      }
    },

    setVectors: (rows) => setVectors(parts, rows),
    async vectors(ids, model) {
      limitIds(ids);
      return run(() => vectorsOf(parts, ids, model));
    },
    enqueueMissingVectors: (model, limit) => enqueueMissingVectors(parts, model, limit),

    async erase(before, limit) {
      await finishErasures(parts);
      return erasePosts(parts, before, limit);
    },
  };
}

const WHOLE = { projection: { vec: 0 } };
