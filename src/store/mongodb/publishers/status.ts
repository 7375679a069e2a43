import type { MongodbContext } from "../database/context.ts";
import { publisherDocumentStatus } from "../database/posts.ts";
import type { PublisherDocument } from "../database/schema/documents.ts";

type Status = Pick<PublisherDocument, "verified_at" | "suspended_at">;

export function isSameStatus(a: Status, b: Status): boolean {
  const [before, after] = [publisherDocumentStatus(a), publisherDocumentStatus(b)];
  return before.verified === after.verified && before.suspended === after.suspended;
}

/**
 * Copies a publisher's status to its posts. A post inserted meanwhile has the new status: its transaction writes the
 * publisher too, and so comes before or after the change. When the status changed meanwhile, it is copied again, so that of
 * two concurrent changes the later one stays.
 */
export async function copyStatusToPosts(
  { connection, collections: { posts, publishers } }: MongodbContext,
  _id: string,
): Promise<void> {
  await connection.runLong(async () => {
    while (true) {
      const publisher = await publishers.findOne({ _id, erasing: false });
      if (publisher === null) return;
      const { verified, suspended } = publisherDocumentStatus(publisher);
      const others = [{ pub_verified: !verified }, { pub_suspended: !suspended }];
      await posts.updateMany(
        { publisher_id: _id, $or: others },
        { $set: { pub_verified: verified, pub_suspended: suspended } },
      );
      const { verified_at, suspended_at } = publisher;
      const copied = { _id, verified_at, suspended_at };
      const settled = await publishers.updateOne(copied, { $set: { spreading: false } });
      if (settled.matchedCount === 1) return;
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
