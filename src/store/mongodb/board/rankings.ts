import type { RankingStore } from "../../../ports/store/index.ts";
import { orAgain } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { deleteSome } from "../server/delete-some.ts";

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
    async prune(now) {
      await run(() => deleteSome(rankings, { expires_at: { $lte: new Date(now) } }));
    },
  };
}
