import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../ports/finding.ts";
import type { Store } from "../ports/store/index.ts";
import type { BoardData, DataOptions, StoreModule } from "./module.ts";

/** Lists the folders here with an `index.ts`: each is the scheme of its store's URL. */
export function storeSchemes(): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(join(import.meta.dirname, entry.name)).some(isIndex),
    )
    .map((entry) => entry.name)
    .sort();
}

/** A build has `.js`. */
const isIndex = (file: string) => /^index\.[jt]s$/.test(file);

/**
 * Opens the store that a URL names, `sqlite:./board.db` → `sqlite/`, `mongodb+srv://…` → `mongodb/`, and its index.
 * @throws Error with one line for the operator
 */
export async function openBoardData(url: string, options: DataOptions): Promise<BoardData> {
  return (await moduleOf(url)).open(url, options);
}

/**
 * Opens the store alone.
 * @param log  is told what an operator should know, such as that the board was upgraded
 * @throws Error with one line for the operator
 */
export async function openStore(url: string, log?: (line: string) => void): Promise<Store> {
  return (await moduleOf(url)).openStore(url, log);
}

/** Tells whether a database is there; it is neither made nor changed. */
export async function storeExists(url: string): Promise<boolean> {
  return (await moduleOf(url)).exists(url);
}

/** Reads a setting of the board that a URL names, or null; nothing is changed. */
export async function storedSetting(url: string, name: string): Promise<string | null> {
  return (await moduleOf(url)).setting(url, name);
}

/**
 * Finds what would keep a board from working on the database that a URL names.
 * @throws Error with one line for the operator when the URL names none
 */
export async function* examineStore(url: string, clock: () => number): AsyncIterable<Finding> {
  yield* (await moduleOf(url)).examine(url, clock);
}

async function moduleOf(url: string): Promise<StoreModule> {
  const schemes = storeSchemes();
  // A replica set's URL names several hosts, which URL parsers refuse.
  const scheme = /^([a-z]+)(\+srv)?:/.exec(url)?.[1];
  if (scheme === undefined || !schemes.includes(scheme)) {
    // The URL itself may hold a password and is not repeated.
    throw new Error(`STORE_URL must begin with one of ${schemes.map((name) => `${name}:`).join(", ")}.`);
  }
  const module: { default: StoreModule } = await import(`./${scheme}/index.ts`);
  return module.default;
}
