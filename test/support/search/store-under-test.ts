import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../src/ports/store/index.ts";
import { openStore } from "../../../src/store/open.ts";
import type { StoreUnderTest } from "../../contract/store.contract.ts";

/** An empty SQLite file in a folder of its own. */
export function sqliteUnderTest(): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "board-store-"));
  return storeUnderTest(`sqlite:${folder}/board.db`, () => rmSync(folder, { recursive: true }));
}

/** What the contract asks of the store at `url`; `destroyed` takes its data away. */
export async function storeUnderTest(
  url: string,
  destroyed: () => Promise<void> | void,
): Promise<StoreUnderTest> {
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
