import type { Finding } from "../ports/finding.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { Store } from "../ports/store/index.ts";

/** `index.ts` of a store's folder exports it by default. */
export interface StoreModule {
  /** Opens the store and the index that goes with it. */
  open(url: string, options: DataOptions): Promise<BoardData>;
  /**
   * Opens the store alone, for commands: nothing is searched and nothing runs in the background.
   * @param log  is told what an operator should know, such as that the board was upgraded
   */
  openStore(url: string, log?: (line: string) => void): Promise<Store>;
  /** Tells whether the database is there, with anything in it. */
  exists(url: string): Promise<boolean>;
  /** Reads a setting of the board there without changing the database; null when there is none. */
  setting(url: string, name: string): Promise<string | null>;
  /** Looks at the database without changing the board in it. */
  examine(url: string, clock: () => number): AsyncIterable<Finding>;
}

/** These two parts hold a board's data. */
export interface BoardData {
  store: Store;
  index: SearchIndex;
  searchState(): SearchState;
  close(): Promise<void>;
}

/**
 * Names what answers searches now: `local`, an index of this machine; `atlas`, the database's own; `lists`, nothing, but
 * lists by filters alone are answered; `building`, nothing at all.
 */
export type SearchState = "local" | "atlas" | "lists" | "building";

export interface DataOptions {
  /** Vectors of other models are not searched; with null, none are. `dimension` is a multiple of 16. */
  model: { modelId: string | null; dimension: number };
  /** Indexes lie beside the database in this folder. */
  indexFolder: string;
  /** Beside MongoDB an index of this process searches, or the database itself, or the latter where it can. */
  search: "auto" | "local" | "atlas";
  log: StoreLog;
}

/** A pino logger fits. */
export interface StoreLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
