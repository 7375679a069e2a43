import type { PublisherDocument } from "../schema/documents.ts";
import type { Parts } from "../server/context.ts";

type Standing = Pick<PublisherDocument, "verified_at" | "suspended_at">;

/** Posts changed in one round trip. */
const POSTS_PER_WRITE = 1000;

/** What filters need to know of a publisher. */
export const standingOf = ({ verified_at, suspended_at }: Standing) => ({
  verified: verified_at !== null,
  suspended: suspended_at !== null,
});

export function sameStanding(a: Standing, b: Standing): boolean {
  const [before, after] = [standingOf(a), standingOf(b)];
  return before.verified === after.verified && before.suspended === after.suspended;
}

/**
 * Lets the posts of a publisher follow its standing. A post that is inserted meanwhile has the new one: it writes the
 * publisher, and so comes before or after the change. Whoever finds that the standing changed while it wrote goes
 * through the posts once more, so that of two who write together the later change is what stays.
 */
export async function spread({ connection, collections }: Parts, publisherId: string): Promise<void> {
  const { posts, publishers } = collections;
  await connection.run(async () => {
    let publisher = await publishers.findOne({ _id: publisherId });
    while (publisher !== null && !publisher.erasing) {
      const { verified, suspended } = standingOf(publisher);
      const follow = { $set: { pub_verified: verified, pub_suspended: suspended } };
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
          await posts.updateMany(ids, follow);
        }
      } finally {
        await walk.close();
      }
      const before = publisher;
      publisher = await publishers.findOne({ _id: publisherId });
      if (publisher === null || !sameStanding(before, publisher)) continue;
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

/** Goes on with what a crash interrupted. */
export async function finishSpreading(parts: Parts): Promise<void> {
  const { connection, collections } = parts;
  const open = await connection.run(() =>
    collections.publishers.find({ spreading: true, erasing: false }, { projection: { _id: 1 } }).toArray(),
  );
  for (const { _id } of open) await spread(parts, _id);
}
