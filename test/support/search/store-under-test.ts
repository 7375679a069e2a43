import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Store } from "../../../src/ports/store/index.ts";
import { openStore } from "../../../src/store/open.ts";
import type { StoreUnderTest } from "../../contract/store.contract.ts";
import type { TestDatabase } from "../mongodb/mongodb.ts";

/** An empty SQLite file in a folder of its own. */
export function sqliteUnderTest(): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "board-store-"));
  return storeUnderTest(`sqlite:${folder}/board.db`, () => rmSync(folder, { recursive: true }));
}

/**
 * One store for all cases of the file that asks, since opening one takes longer than most cases. The database is emptied
 * after each, and dropped at the end.
 */
export function mongodbUnderTest(database: TestDatabase): () => Promise<StoreUnderTest> {
  let kept: StoreUnderTest | undefined;
  afterAll(async () => {
    await kept?.store.close();
    await database.drop();
  });
  return async () => {
    kept ??= await storeUnderTest(database.url, database.empty, { stays: true });
    return kept;
  };
}

/** What the contract asks of the store at `url`; `destroyed` takes its data away, and the store too unless it `stays`. */
async function storeUnderTest(
  url: string,
  destroyed: () => Promise<void> | void,
  { stays = false } = {},
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
      const ended = others.splice(0).concat(stays ? [] : [under.store]);
      await Promise.all(ended.map((store) => store.close()));
      await destroyed();
    },
  };
  return under;
}
