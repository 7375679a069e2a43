import type { LimitStore, RankingStore } from "../../../ports/store/index.ts";
import { orAgain } from "../database/connection.ts";
import type { MongodbContext } from "../database/context.ts";

/**
 * Counters are exact because every addition changes one document of the primary. It alone acknowledges them: after an
 * election, some may be lost.
 */
export function mongodbLimitStore({
  connection: { run },
  collections: { windows },
}: MongodbContext): LimitStore {
  return {
    add(key, points, windowMs, now) {
      const end = new Date(now + windowMs);
      const ended = { $lte: ["$ends_at", new Date(now)] };
      return run(async () => {
        const window = await orAgain(() =>
          windows.findOneAndUpdate(
            { _id: key },
            [
              {
                $set: {
                  points: { $cond: [ended, points, { $add: ["$points", points] }] },
                  ends_at: { $cond: [ended, end, { $min: ["$ends_at", end] }] },
                },
              },
            ],
            { upsert: true, returnDocument: "after", writeConcern: { w: 1, journal: false } },
          ),
        );
        return { points: window?.points ?? points, endsAt: window?.ends_at.getTime() ?? now + windowMs };
      });
    },
  };
}

export function mongodbRankingStore({
  connection: { run },
  collections: { rankings },
}: MongodbContext): RankingStore {
  return {
    async save({ id, ids, relevance, previous, expiresAt }) {
      const ranking = { ids: [...ids], relevance: [...relevance], previous, expires_at: new Date(expiresAt) };
      await run(() => orAgain(() => rankings.replaceOne({ _id: id }, ranking, { upsert: true })));
    },
    get: (id, now) =>
      run(async () => {
        const ranking = await rankings.findOne({ _id: id, expires_at: { $gt: new Date(now) } });
        if (ranking === null) return null;
        const { ids, relevance, previous, expires_at } = ranking;
        return { id, ids, relevance, previous, expiresAt: expires_at.getTime() };
      }),
  };
}
