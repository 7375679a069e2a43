import type { SignInRow, SignInStore } from "../../../ports/store/index.ts";
import { SIGN_IN } from "../../../records/publisher.ts";
import { orAgain } from "../database/connection.ts";
import type { MongodbContext } from "../database/context.ts";
import { type DocumentOf, documentOf, rowOf } from "../database/rows.ts";

const FIELDS = { id: "_id", grantId: "grant_id", publisherId: "publisher_id" } as const;

export function mongodbSignInStore({
  connection: { run },
  collections: { sign_ins: signIns },
}: MongodbContext): SignInStore {
  const live = (now: number) => ({ expires_at: { $gt: new Date(now) } });
  return {
    async put(row) {
      const { _id, ...document } = documentOf(SIGN_IN, row);
      await run(() => orAgain(() => signIns.replaceOne({ _id }, document, { upsert: true })));
    },
    get: (id, now) =>
      run(async () => {
        const found = await signIns.findOne({ _id: id, ...live(now) });
        return found === null ? null : signInOf(found);
      }),
    many: (ids, now) =>
      run(async () => {
        const found = await signIns.find({ _id: { $in: [...ids] }, ...live(now) }).toArray();
        return found.map(signInOf);
      }),
    consume: (id, now) =>
      run(async () => {
        const used = { $set: { consumed_at: new Date(now) } };
        return (await signIns.updateOne({ _id: id, consumed_at: null }, used)).modifiedCount === 1;
      }),
    async prolong(id, expiresAt) {
      const until = new Date(expiresAt);
      await run(() =>
        signIns.updateOne({ _id: id, expires_at: { $lt: until } }, { $set: { expires_at: until } }),
      );
    },
    async remove(by, value) {
      await run(() => signIns.deleteMany({ [FIELDS[by]]: value }));
    },
    async removeOlder(grantId, kind, until, except) {
      const older = { _id: { ...ofKind(kind), $ne: except }, expires_at: { $lte: new Date(until) } };
      await run(() => signIns.deleteMany({ grant_id: grantId, ...older }));
    },
    renewable: (publisherId, now, limit) =>
      run(async () => {
        const found = signIns
          .find({ publisher_id: publisherId, consumed_at: null, _id: ofKind("RefreshToken"), ...live(now) })
          .sort({ expires_at: -1, _id: 1 })
          .limit(limit);
        return (await found.toArray()).map(signInOf);
      }),
  };
}

/** Finds ids that begin with a kind and a colon, which a semicolon follows. */
const ofKind = (kind: string) => ({ $gt: `${kind}:`, $lt: `${kind};` });

const signInOf = (document: DocumentOf<SignInRow>): SignInRow => rowOf(SIGN_IN, document);
