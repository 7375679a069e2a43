import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Finding } from "../ports/finding.ts";
import type { TransactionalIndex } from "../ports/search-index.ts";
import type { Store } from "../ports/store/index.ts";

export interface StoreOptions {
  /** Lives inside the store's database; only an embedded store uses it. */
  index: TransactionalIndex<DatabaseSyncInstance> | null;
  /** Told before and after an index in the store's database is filled, since the open takes longer then. */
  log?: (line: string) => void;
}

/** What `index.ts` of each folder here exports. */
interface StoreModule {
  open(url: string, options: StoreOptions): Promise<Store>;
  /** Looks at the database without changing the board in it. */
  examine(url: string, clock: () => number): AsyncIterable<Finding>;
}

/** The folders here with an `index.ts`: each is the scheme of its store's URL. */
export function storeSchemes(): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(join(import.meta.dirname, entry.name)).some(isIndex),
    )
    .map((entry) => entry.name)
    .sort();
}

/** Also of a build. */
const isIndex = (file: string) => /^index\.[jt]s$/.test(file);

/**
 * Opens the store that a URL names: `sqlite:./board.db` → `sqlite/`, `mongodb+srv://…` → `mongodb/`.
 * @throws Error with one line for the operator
 */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  return (await moduleOf(url)).open(url, options);
}

/**
 * Looks at the database that a URL names, and finds what would keep a board from working on it.
 * @throws Error with one line for the operator when the URL names none
 */
export async function* examineStore(url: string, clock: () => number): AsyncIterable<Finding> {
  yield* (await moduleOf(url)).examine(url, clock);
}

function moduleOf(url: string): Promise<StoreModule> {
  const schemes = storeSchemes();
  // Not by a parser of URLs: a replica set's has several hosts.
  const scheme = /^([a-z]+)(\+srv)?:/.exec(url)?.[1];
  if (scheme === undefined || !schemes.includes(scheme)) {
    // The URL itself may hold a password and is not repeated.
    throw new Error(`STORE_URL must begin with one of ${schemes.map((name) => `${name}:`).join(", ")}.`);
  }
  return import(`./${scheme}/index.ts`);
}
