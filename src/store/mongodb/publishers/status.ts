import type { MongodbContext } from "../database/context.ts";
import { publisherDocumentStatus } from "../database/posts.ts";
import type { PublisherDocument } from "../database/schema/documents.ts";

type Status = Pick<PublisherDocument, "verified_at" | "suspended_at">;

/** Posts changed in one round trip. */
const POSTS_PER_WRITE = 1000;

export function isSameStatus(a: Status, b: Status): boolean {
  const [before, after] = [publisherDocumentStatus(a), publisherDocumentStatus(b)];
  return before.verified === after.verified && before.suspended === after.suspended;
}

/**
 * Copies a publisher's status to its posts. A post inserted meanwhile has the new status: its transaction writes the
 * publisher too, and so comes before or after the change. When the status changed during the walk, the walk is repeated,
 * so that of two concurrent changes the later one stays.
 */
export async function copyStatusToPosts(
  { connection, collections }: MongodbContext,
  publisherId: string,
): Promise<void> {
  const { posts, publishers } = collections;
  await connection.runLong(async () => {
    let publisher = await publishers.findOne({ _id: publisherId });
    while (publisher !== null && !publisher.erasing) {
      const { verified, suspended } = publisherDocumentStatus(publisher);
      const status = { $set: { pub_verified: verified, pub_suspended: suspended } };
      const walk = posts.find(
        { publisher_id: publisherId },
        { projection: { root: 1 }, batchSize: POSTS_PER_WRITE },
      );
      try {
        while (await walk.hasNext()) {
          const some = walk.readBufferedDocuments(POSTS_PER_WRITE);
          const ids = {
            _id: { $in: some.map(({ _id }) => _id) },
            root: { $in: some.map(({ root }) => root) },
          };
          await posts.updateMany(ids, status);
        }
      } finally {
        await walk.close();
      }
      const before = publisher;
      publisher = await publishers.findOne({ _id: publisherId });
      if (publisher === null || !isSameStatus(before, publisher)) continue;
      const { verified_at, suspended_at } = publisher;
      const settled = await publishers.updateOne(
        { _id: publisherId, verified_at, suspended_at },
        { $set: { spreading: false } },
      );
      if (settled.matchedCount === 1) return;
      publisher = await publishers.findOne({ _id: publisherId });
    }
  });
}

/** Completes what a crash interrupted. */
export async function finishStatusCopies(context: MongodbContext): Promise<void> {
  const { connection, collections } = context;
  const open = await connection.run(() =>
    collections.publishers.find({ spreading: true, erasing: false }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of open) await copyStatusToPosts(context, _id);
}
