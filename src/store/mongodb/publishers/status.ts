import type { MongodbContext } from "../database/context.ts";
import { statusFields } from "../database/posts.ts";
import type { PublisherDocument } from "../database/schema/documents.ts";

type Status = Pick<PublisherDocument, "verified_at" | "suspended_at">;

export function isSameStatus(a: Status, b: Status): boolean {
  const [before, after] = [statusFields(a), statusFields(b)];
  return before.pub_verified === after.pub_verified && before.pub_suspended === after.pub_suspended;
}

/**
 * Copies the status of publishers to their posts where that is still to be done, as after a crash: outside a transaction, since a
 * publisher may have more posts than one holds. A post inserted meanwhile has the new status: its transaction writes the publisher
 * too, and so comes before or after the change. When a status changes meanwhile, it is copied again, so that of two concurrent
 * changes the later one stays.
 */
export async function spreadStatus({
  connection,
  collections: { posts, publishers },
}: MongodbContext): Promise<void> {
  await connection.runLong(async () => {
    while (true) {
      const publisher = await publishers.findOne({ spreading: true });
      if (publisher === null) return;
      const { _id, verified_at, suspended_at, erasing } = publisher;
      const status = statusFields(publisher);
      if (erasing) status.pub_suspended = true;
      await posts.updateMany({ publisher_id: _id }, { $set: status });
      await publishers.updateOne({ _id, verified_at, suspended_at, erasing }, { $set: { spreading: false } });
    }
  });
}
