import type { LeaseStore, LimitStore, RankingStore, SettingStore } from "../../../ports/store/index.ts";
import { RANKING } from "../../../records/board.ts";
import { orAgain } from "../database/connection.ts";
import type { MongodbContext } from "../database/context.ts";
import { documentOf, rowOf } from "../database/rows.ts";

export function mongodbSettingStore({
  connection: { run },
  collections: { settings },
}: MongodbContext): SettingStore {
  return {
    get: (name) => run(async () => (await settings.findOne({ _id: name }))?.value ?? null),
    setOnce: (name, value) =>
      run(async () => {
        const kept = await orAgain(() =>
          settings.findOneAndUpdate(
            { _id: name },
            { $setOnInsert: { value } },
            { upsert: true, returnDocument: "after" },
          ),
        );
        return kept?.value ?? value;
      }),
    async set(name, value) {
      await run(() =>
        orAgain(() => settings.updateOne({ _id: name }, { $set: { value } }, { upsert: true })),
      );
    },
  };
}

export function mongodbLeaseStore({
  connection: { run },
  collections: { leases },
}: Pick<MongodbContext, "connection" | "collections">): LeaseStore {
  return {
    acquire(name, owner, ttlMs, now) {
      const endsAt = new Date(now + ttlMs);
      // A literal is meant: the server would read a name that begins with "$" as a field.
      const me = { $literal: owner };
      const mine = { $eq: ["$owner", me] };
      const free = { $or: [mine, { $lte: ["$ends_at", new Date(now)] }] };
      const fence = { $ifNull: ["$fence", 0] };
      return run(async () => {
        const lease = await orAgain(() =>
          leases.findOneAndUpdate(
            { _id: name },
            [
              {
                $set: {
                  owner: { $cond: [free, me, "$owner"] },
                  ends_at: { $cond: [free, endsAt, "$ends_at"] },
                  fence: { $cond: [{ $and: [free, { $not: mine }] }, { $add: [fence, 1] }, fence] },
                },
              },
            ],
            { upsert: true, returnDocument: "after" },
          ),
        );
        return lease?.owner === owner ? lease.fence : null;
      });
    },
    async release(name, owner) {
      // The document stays: its fence must keep growing.
      await run(() =>
        leases.updateOne({ _id: name, owner }, { $set: { owner: null, ends_at: new Date(0) } }),
      );
    },
  };
}

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
    async save(ranking) {
      const { _id, ...document } = documentOf(RANKING, ranking);
      await run(() => orAgain(() => rankings.replaceOne({ _id }, document, { upsert: true })));
    },
    get: (id, now) =>
      run(async () => {
        const ranking = await rankings.findOne({ _id: id, expires_at: { $gt: new Date(now) } });
        return ranking === null ? null : rowOf(RANKING, ranking);
      }),
  };
}
