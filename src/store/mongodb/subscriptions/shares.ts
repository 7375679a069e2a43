import type { Collection, Filter } from "mongodb";
import type { IndexFeed } from "../../../ports/index-feed.ts";
import { ALL_PARTS, PARTS, type ShareStore, type WorkItem } from "../../../ports/store/index.ts";
import type { WorkDocument } from "../schema/documents.ts";
import { claimsIn } from "../schema/stamps.ts";
import { orAgain } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { doneWith, WAITING } from "../server/work.ts";

/** The document `saved queries` of collection `leases`. */
interface SharesDocument {
  _id: "saved queries";
  /** When the member that renewed last counts as dead. */
  ends_at: Date;
  /** Grows with each change of the owners. */
  fence: number;
  members?: Record<string, Date>;
  owners?: (string | null)[];
}

const SHARES = { _id: "saved queries" } as const;
const NOBODY: readonly null[] = Array.from({ length: PARTS }, () => null);

/** @param watchers  called for changed posts, as `tellingOfPosts` does */
export function mongodbShareStore(
  { connection: { db, run }, collections: { work } }: MongodbContext,
  watchers: (() => void)[],
): ShareStore {
  const shares: Collection<SharesDocument> = db.collection("leases");
  return {
    renew: (member, ttlMs, now) =>
      run(async () => {
        const until = new Date(now + ttlMs);
        const update = {
          $set: { ends_at: until, [`members.${member}`]: until },
          $setOnInsert: { fence: 0, owners: [...NOBODY] },
        };
        const table = await orAgain(() =>
          shares.findOneAndUpdate(SHARES, update, { upsert: true, returnDocument: "after" }),
        );
        const members = Object.entries(table?.members ?? {});
        return {
          revision: table?.fence ?? 0,
          members: new Map(members.map(([name, end]) => [name, end.getTime()])),
          owners: table?.owners ?? NOBODY,
        };
      }),

    pass: (revision, owners, gone) =>
      run(async () => {
        const forgotten = Object.fromEntries(gone.map((name) => [`members.${name}`, ""] as const));
        const { matchedCount } = await shares.updateOne(
          { ...SHARES, fence: revision },
          {
            $set: { owners: [...owners] },
            $inc: { fence: 1 },
            ...(gone.length === 0 ? {} : { $unset: forgotten }),
          },
        );
        return matchedCount > 0;
      }),

    async leave(member) {
      const freed = { $cond: [{ $eq: ["$$this", member] }, null, "$$this"] };
      await run(() =>
        shares.updateOne(SHARES, [
          {
            $set: {
              owners: { $map: { input: "$owners", in: freed } },
              fence: { $add: ["$fence", 1] },
              members: { $unsetField: { field: member, input: "$members" } },
            },
          },
        ]),
      );
    },

    unmatched: (parts, limit) =>
      run(async () => {
        // What all parts are done with is shown too: its last worker may have died before it deleted it.
        const done = { ...doneWith(parts), $not: doneWith(ALL_PARTS) };
        const others: Filter<WorkDocument> = parts === ALL_PARTS ? {} : { $nor: [{ done }] };
        const items = await work
          .find({ ...WAITING.match, ...others })
          .sort({ match: 1 })
          .limit(limit)
          .toArray();
        return items.map(
          ({ _id: postId, match = 0 }): WorkItem => ({
            ...{ kind: "match", postId, parts },
            ...{ token: match.toString(), attempts: claimsIn(match) },
          }),
        );
      }),

    onPosts: (changed) => void watchers.push(changed),
  };
}

/** The same feed; whoever follows it has the watchers told of changed posts. */
export function tellingOfPosts(feed: IndexFeed, watchers: readonly (() => void)[]): IndexFeed {
  return {
    ...feed,
    async *follow(place, signal) {
      for await (const change of feed.follow(place, signal)) {
        if (change.posts.length > 0) for (const changed of watchers) changed();
        yield change;
      }
    },
  };
}
