import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/ports/store/index.ts";
import { openStore, storeSchemes } from "../../src/store/open.ts";
import { describeStore, type StoreUnderTest } from "../contract/store.contract.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

/** How to open an empty store of each scheme; null where this machine cannot run its database. */
const OPENERS: Record<string, (() => Promise<StoreUnderTest>) | null> = {
  sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "board-store-"));
    return underTest(`sqlite:${folder}/board.db`, () => rmSync(folder, { recursive: true }));
  },
  mongodb: await mongodbOpener("replicaSet"),
};

for (const scheme of storeSchemes()) {
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
  return () => underTest(database.url, database.empty);
}

async function underTest(url: string, destroyed: () => Promise<void> | void): Promise<StoreUnderTest> {
  const open = () => openStore(url);
  const others: Store[] = [];
  const under: StoreUnderTest = {
    store: await open(),
    async another() {
      const other = await open();
      others.push(other);
      return other;
    },
    async reopen() {
      await under.store.close();
      under.store = await open();
      return under.store;
    },
    async destroy() {
      await Promise.all([under.store, ...others].map((store) => store.close()));
      await destroyed();
    },
  };
  return under;
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
