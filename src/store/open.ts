import { readdirSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { TransactionalIndex } from "../ports/search-index.ts";
import type { Store } from "../ports/store.ts";

export interface StoreOptions {
  /** Lives inside the store's database; only an embedded store uses it. */
  index: TransactionalIndex<DatabaseSyncInstance> | null;
}

/** What `index.ts` of each folder here exports. */
interface StoreModule {
  open(url: URL, options: StoreOptions): Promise<Store>;
}

/** The folders here: each is the scheme of its store's URL. */
export function storeSchemes(): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * Opens the store that a URL names: `sqlite:./board.db` → `sqlite/`, `mongodb+srv://…` → `mongodb/`.
 * @throws Error with one line for the operator
 */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const schemes = storeSchemes();
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const scheme = parsed?.protocol.replace(/(\+srv)?:$/, "");
  if (parsed === null || scheme === undefined || !schemes.includes(scheme)) {
    // The URL itself may hold a password and is not repeated.
    throw new Error(`STORE_URL must begin with one of ${schemes.map((name) => `${name}:`).join(", ")}.`);
  }
  const module: StoreModule = await import(`./${scheme}/index.ts`);
  return module.open(parsed, options);
}
