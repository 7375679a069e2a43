import { afterAll, describe, expect, it } from "vitest";
import { openStore, storeSchemes } from "../../src/store/open.ts";
import { describeStore, type StoreUnderTest } from "../contract/store.contract.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { sqliteUnderTest, storeUnderTest } from "../support/search/store-under-test.ts";

/** How to open an empty store of each scheme; null where this machine cannot run its database. */
const OPENERS: Record<string, (() => Promise<StoreUnderTest>) | null> = {
  sqlite: sqliteUnderTest,
  mongodb: await mongodbOpener("replicaSet"),
};

// SQLite's run has a file of its own, `sqlite-store.test.ts`: it is quick.
for (const scheme of storeSchemes().filter((each) => each !== "sqlite")) {
  const open = OPENERS[scheme];
  if (open) describeStore(scheme, open);
  else describe.skip(`${scheme} store`, () => it("is held to the contract", () => {}));
}

const onTwoShards = await mongodbOpener("cluster");
if (onTwoShards !== null) describeStore("mongodb, on two shards,", onTwoShards);

/** One database for all cases, emptied after each. */
async function mongodbOpener(
  kind: "replicaSet" | "cluster",
): Promise<(() => Promise<StoreUnderTest>) | null> {
  const database = await mongodbFor(kind, "contract");
  if (database === null) return null;
  afterAll(database.drop);
  return () => storeUnderTest(database.url, database.empty);
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
});
