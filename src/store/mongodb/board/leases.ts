import type { LeaseStore } from "../../../ports/store/index.ts";
import { orAgain } from "../server/connection.ts";
import type { Parts } from "../server/context.ts";

export function leaseStore({ connection: { run }, collections: { leases } }: Parts): LeaseStore {
  return {
    acquire(name, owner, ttlMs, now) {
      const endsAt = new Date(now + ttlMs);
      // A literal: a name that begins with "$" would be read as a field.
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
      // The document stays, since its fence must go on growing.
      await run(() =>
        leases.updateOne({ _id: name, owner }, { $set: { owner: null, ends_at: new Date(0) } }),
      );
    },
  };
}
