import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Store } from "../src/ports/store.ts";
import { openStore, storeSchemes } from "../src/store/open.ts";
import { describeStore, type StoreUnderTest } from "./contract/store.contract.ts";

/** How to open an empty store of each scheme. */
const OPENERS: Record<string, () => Promise<StoreUnderTest>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "board-store-"));
    const open = () => openStore(`sqlite:${folder}/board.db`, { index: null });
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
        rmSync(folder, { recursive: true });
      },
    };
    return under;
  },
};

for (const scheme of storeSchemes()) {
  const open = OPENERS[scheme];
  if (open !== undefined) describeStore(scheme, open);
}

describe("openStore", () => {
  it("has every folder of src/store held to the contract", () => {
    expect(storeSchemes()).toContain("sqlite");
    expect(storeSchemes().filter((scheme) => OPENERS[scheme] === undefined)).toEqual([]);
  });

  it.each(["postgres://user:secret@host/db", "board.db", "", "__proto__:x"])(
    "refuses %j with the schemes there are, and without repeating it",
    async (url) => {
      const refusal = await openStore(url, { index: null }).catch((error: Error) => error.message);
      expect(refusal).toMatch(/^STORE_URL must begin with one of .*sqlite:/);
      expect(refusal).not.toContain("secret");
    },
  );
});
