import type { SignInRow, SignInStore } from "../../../ports/store/index.ts";
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
      const { _id, ...document } = documentOf(row);
      await run(() => orAgain(() => signIns.replaceOne({ _id }, document, { upsert: true })));
    },
    get: (id, now) =>
      run(async () => {
        const found = await signIns.findOne({ _id: id, ...live(now) });
        return found === null ? null : signInOf(found);
      }),
    consume: (id, now) =>
      run(async () => {
        const used = { $set: { consumed_at: new Date(now) } };
        return (await signIns.updateOne({ _id: id, consumed_at: null }, used)).modifiedCount === 1;
      }),
    async remove(by, value) {
      await run(() => signIns.deleteMany({ [FIELDS[by]]: value }));
    },
    ofPublisher: (id, now) =>
      run(async () => {
        const found = signIns.find({ publisher_id: id, ...live(now) }).sort({ expires_at: 1, _id: 1 });
        return (await found.toArray()).map(signInOf);
      }),
  };
}

const signInOf = (document: DocumentOf<SignInRow>) => rowOf<SignInRow>(document);
