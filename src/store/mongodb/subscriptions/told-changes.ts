import type { ClientSession } from "mongodb";
import { isMatched, type NewMatch } from "../../../ports/store/index.ts";
import type { MongodbContext } from "../database/context.ts";
import { findPost } from "../database/reads.ts";
import type { SubscriptionDocument } from "../database/schema/documents.ts";
import { subscriptionName } from "../database/subscriptions.ts";
import { type Handed, handOver, newMatchesOf, numbered, pairId, receiversOf } from "./deliveries.ts";
import { lastNumbers } from "./inbox.ts";

/** One transaction tells this many subscriptions of a change. */
const TOLD_PER_WRITE = 200;

/** See `SubscriptionStore.tellChange`. */
export async function tellChangeDocuments(
  context: MongodbContext,
  postId: string,
  now: number,
): Promise<NewMatch[]> {
  const { connection, collections } = context;
  const ids = await connection.run(() => toldOf(context, postId));
  const told: NewMatch[] = [];
  for (let from = 0; from < ids.length; from += TOLD_PER_WRITE) {
    const some = ids.slice(from, from + TOLD_PER_WRITE);
    const handed = await connection.write(some.map(subscriptionName), async (session) => {
      const post = await findPost(context, postId, session);
      const change = post?.change ?? null;
      if (change === null) return [];
      const pairs = { _id: { $in: some.map((id) => pairId(id, postId)) }, subscription_id: { $in: some } };
      const due = await collections.deliveries
        .find({ ...pairs, "change.at": { $ne: change.at } }, { session })
        .toArray();
      const receivers = await receiversOf(
        context,
        session,
        due.map(({ subscription_id }) => subscription_id),
      );
      const owners = [...receivers.values()].map((receiver) => receiver.publisher_id);
      const inboxes = await lastNumbers(context, session, owners);
      const added = due.flatMap(({ subscription_id: subscriptionId }): Handed[] => {
        const receiver = receivers.get(subscriptionId);
        if (receiver === undefined || !inboxes.has(receiver.publisher_id) || !hearsChanges(receiver))
          return [];
        const deliveryId = numbered(receiver, now);
        return [{ subscriptionId, postId, deliveryId, matchedAt: now, change, receiver }];
      });
      await handOver(context, session, inboxes, added);
      return added;
    });
    told.push(...newMatchesOf(handed));
  }
  return told;
}

const hearsChanges = ({ changes = true, active, inactive_reason }: SubscriptionDocument): boolean =>
  changes && isMatched({ active, inactiveReason: inactive_reason });

/** Lists the subscriptions that were told of a post, by id. */
export async function toldOf({ collections }: MongodbContext, postId: string): Promise<string[]> {
  const projection = { subscription_id: 1 } as const;
  const pairs = await collections.deliveries.find({ post_id: postId }, { projection }).toArray();
  return pairs.map(({ subscription_id }) => subscription_id);
}

/** Finds the posts that any subscription was told of. */
export async function toldAmong(
  { collections }: MongodbContext,
  session: ClientSession,
  postIds: readonly string[],
): Promise<string[]> {
  const stages = [{ $match: { post_id: { $in: postIds } } }, { $group: { _id: "$post_id" } }];
  const found = await collections.deliveries.aggregate<{ _id: string }>(stages, { session }).toArray();
  return found.map(({ _id }) => _id);
}
