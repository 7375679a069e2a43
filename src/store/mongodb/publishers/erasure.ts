import type { ErasedPublisher } from "../../../ports/store/index.ts";
import { PUBLISHER } from "../../../records/publisher.ts";
import type { MongodbContext } from "../database/context.ts";
import { wipedOf } from "../database/rows.ts";
import { erasePostsOf, POSTS_PER_WRITE } from "../posts/erasure.ts";
import { nextChange } from "../subscriptions/changes.ts";
import { purgeSubscription } from "../subscriptions/deliveries.ts";
import { removeSubscriptionDocuments } from "../subscriptions/index.ts";
import { spreadStatus } from "./status.ts";

/** See `PublisherStore.erase`. From the first transaction on, the key fails. */
export async function erasePublisherDocuments(
  context: MongodbContext,
  id: string,
): Promise<ErasedPublisher | null> {
  const { connection, collections } = context;
  const counts = await connection.write([`publisher:${id}`], async (session) => {
    const publisher = await collections.publishers.findOneAndUpdate(
      { _id: id, erasing: false },
      {
        $set: {
          erasing: true,
          spreading: true,
          ...wipedOf(PUBLISHER),
          key_hash: `erased ${id}`,
        },
      },
      { session, projection: { post_count: 1 } },
    );
    if (publisher === null) return null;
    const subscriptions = await collections.subscriptions.countDocuments({ publisher_id: id }, { session });
    await collections.sign_ins.deleteMany({ publisher_id: id }, { session });
    // A concurrent insert of a subscription takes a number too, and so comes before or after this.
    await nextChange(context, session);
    return { posts: publisher.post_count, subscriptions };
  });
  if (counts === null) return null;
  await spreadStatus(context);
  context.wrote({ publishers: [id] });
  await finishErasure(context, id);
  return { ...counts, complete: true };
}

/** Completes what a crash interrupted, copies of a status included; harmless while another process does the same. */
export async function finishDocumentErasures(context: MongodbContext): Promise<void> {
  const { connection, collections } = context;
  await spreadStatus(context);
  const open = await connection.run(() =>
    collections.publishers.find({ erasing: true }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of open) await finishErasure(context, _id);
  const removed = await connection.run(() =>
    collections.removed_subscriptions.find({ purged: false }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of removed) await connection.runLong(() => purgeSubscription(context, _id));
}

async function finishErasure(context: MongodbContext, id: string): Promise<void> {
  const { connection, collections } = context;
  const subscriptions = await connection.run(() =>
    collections.subscriptions.find({ publisher_id: id }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of subscriptions) await removeSubscriptionDocuments(context, _id);
  const all = { filter: { publisher_id: id }, oldestBy: "created_at" } as const;
  while ((await erasePostsOf(context, all, POSTS_PER_WRITE)) > 0);
  await connection.runLong(async () => {
    await collections.reports.deleteMany({ reporter: `key:${id}` });
    await collections.inbox.deleteMany({ publisher_id: id });
    await collections.publishers.deleteOne({ _id: id, erasing: true });
  });
  context.wrote({ publishers: [id] });
}
