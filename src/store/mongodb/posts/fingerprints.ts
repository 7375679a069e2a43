import type { Document } from "mongodb";
import type { FingerprintRow } from "../../../ports/store/index.ts";
import type { PostDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";

/** What is read of a post for its fingerprint. */
export type FingerprintFields = Pick<PostDocument, "_id" | "fingerprint" | "created_at">;

/** See `PostStore.fingerprints`. */
export async function findFingerprints(
  { collections }: MongodbContext,
  publisherId: string,
  bounds: { since: number; limit: number },
): Promise<FingerprintRow[]> {
  const found = collections.posts.aggregate<FingerprintFields>(fingerprintStages(publisherId, bounds));
  return (await found.toArray()).map(fingerprintRowOf);
}

/** Stages over `posts`, newest first. */
export const fingerprintStages = (
  publisherId: string,
  { since, limit }: { since: number; limit: number },
): Document[] => [
  { $match: { publisher_id: publisherId, created_at: { $gte: new Date(since) } } },
  { $sort: { created_at: -1, _id: -1 } },
  { $limit: limit },
  { $project: { fingerprint: 1, created_at: 1 } },
];

export const fingerprintRowOf = ({ _id, fingerprint, created_at }: FingerprintFields): FingerprintRow => ({
  id: _id,
  fingerprint,
  createdAt: created_at.getTime(),
});
