import type { FingerprintRow } from "../../../ports/store/index.ts";
import type { MongodbContext } from "../database/context.ts";

/** See `PostStore.fingerprints`. */
export async function findFingerprints(
  { collections }: MongodbContext,
  publisherId: string,
  { since, limit }: { since: number; limit: number },
): Promise<FingerprintRow[]> {
  const found = await collections.posts
    .find(
      { publisher_id: publisherId, created_at: { $gte: new Date(since) } },
      { projection: { fingerprint: 1, created_at: 1 }, sort: { created_at: -1, _id: -1 }, limit },
    )
    .toArray();
  return found.map(({ _id, fingerprint, created_at }) => ({
    id: _id,
    fingerprint,
    createdAt: created_at.getTime(),
  }));
}
