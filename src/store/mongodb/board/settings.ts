import type { SettingStore } from "../../../ports/store/index.ts";
import { orAgain } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";

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
