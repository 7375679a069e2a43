import type { MongodbContext } from "../database/context.ts";
import { publisherDocumentStatus } from "../database/posts.ts";
import type { PublisherDocument } from "../database/schema/documents.ts";

type Status = Pick<PublisherDocument, "verified_at" | "suspended_at">;

export function isSameStatus(a: Status, b: Status): boolean {
  const [before, after] = [publisherDocumentStatus(a), publisherDocumentStatus(b)];
  return before.verified === after.verified && before.suspended === after.suspended;
}

/**
 * Copies the status of publishers to their posts where that is still to be done, as after a crash. A post inserted meanwhile
 * has the new status: its transaction writes the publisher too, and so comes before or after the change. When a status changes
 * meanwhile, it is copied again, so that of two concurrent changes the later one stays.
 */
export async function spreadStatus({
  connection,
  collections: { posts, publishers },
}: MongodbContext): Promise<void> {
  await connection.runLong(async () => {
    while (true) {
      const publisher = await publishers.findOne({ spreading: true, erasing: false });
      if (publisher === null) return;
      const { _id, verified_at, suspended_at } = publisher;
      const { verified, suspended } = publisherDocumentStatus(publisher);
      const others = [{ pub_verified: !verified }, { pub_suspended: !suspended }];
      await posts.updateMany(
        { publisher_id: _id, $or: others },
        { $set: { pub_verified: verified, pub_suspended: suspended } },
      );
      await publishers.updateOne({ _id, verified_at, suspended_at }, { $set: { spreading: false } });
    }
  });
}
