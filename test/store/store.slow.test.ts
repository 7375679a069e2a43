import { describe, expect, it } from "vitest";
import { openStore, storedSetting, storeExists, storeSchemes } from "../../src/store/open.ts";
import { describeStore, type StoreUnderTest } from "../contract/store.contract.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { mongodbUnderTest, sqliteUnderTest } from "../support/search/store-under-test.ts";

const mongodb = await mongodbFor("replicaSet", "contract");

/** How to open an empty store of each scheme; null where this machine cannot run its database. */
const OPENERS: Record<string, (() => Promise<StoreUnderTest>) | null> = {
  sqlite: sqliteUnderTest,
  mongodb: mongodb === null ? null : mongodbUnderTest(mongodb),
};

// SQLite's run has a file of its own, `sqlite-store.test.ts`: it is quick. So has that on shards, `../mongodb/two-shards.test.ts`.
for (const scheme of storeSchemes().filter((each) => each !== "sqlite")) {
  const open = OPENERS[scheme];
  if (open) describeStore(scheme, open);
  else describe.skip(`${scheme} store`, () => it("is held to the contract", () => {}));
}

describe("openStore", () => {
  it("has every folder of src/store held to the contract", () => {
    expect(storeSchemes()).toEqual(expect.arrayContaining(["mongodb", "sqlite"]));
    expect(storeSchemes().filter((scheme) => OPENERS[scheme] === undefined)).toEqual([]);
  });

  it.each(["other://user:secret@host/db", "board.db", "", "__proto__:x"])(
    "refuses %j with the schemes there are, and without repeating it",
    async (url) => {
      const refusal = await openStore(url).catch((error: Error) => error.message);
      expect(refusal).toMatch(/^STORE_URL must begin with one of .*sqlite:/);
      expect(refusal).not.toContain("secret");
    },
  );

  it.each(["mongodb://", "mongodb+srv://"])(
    "says of %s that nothing can be asked there, and not that nothing is",
    async (url) => {
      const refusal = "STORE_URL is no connection string of MongoDB.";
      await expect(storeExists(url)).rejects.toThrow(refusal);
      await expect(storedSetting(url, "launched")).rejects.toThrow(refusal);
      await expect(openStore(url)).rejects.toThrow(refusal);
    },
  );
});
