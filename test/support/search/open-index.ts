import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../src/platform/sqlite.ts";
import { DAY_MS } from "../../../src/platform/time.ts";
import type { Question } from "../../../src/ports/search-index.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { LIMITS } from "../../../src/search/index/follower.ts";
import { StandaloneIndex } from "../../../src/search/index/standalone.ts";
import { aPage, aQuestion } from "../boards/questions.ts";
import { useFolderForEach } from "../run/temporary.ts";
import { T0 as NOW } from "./rows.ts";

/** True while a snapshot of the folder's index is being written, or after its writer died. */
export const hasUnfinished = (folder: string) =>
  readdirSync(folder).some((name) => name.startsWith("board.db-search-new"));

export { anEntry, T0 as NOW } from "./rows.ts";

export const MODEL = "test-model";
export const DIMENSION = 32;
/** A few hundred posts have a snapshot, and drop the rows of removed ones. */
const SMALL = { ...LIMITS, deadRows: 150, snapshotFrom: 300 };

/** An embedded index on its own connection, as in a store. */
export interface OpenIndex {
  index: StandaloneIndex;
  database: DatabaseSyncInstance;
  /** The folder of the index's files. */
  folder: string;
  /** Runs changes in one transaction, as a store does. */
  write(change: (index: StandaloneIndex) => void): void;
  /** Ids found by a search text, best first. */
  find(q: string, vector?: Int8Array): Promise<string[]>;
  /** Ids that pass a filter, in the order of ids. */
  pass(filter: Partial<PostFilter>): Promise<string[]>;
}

export interface OpenOptions {
  modelId?: string | null;
  dimension?: number;
  threadFrom?: number;
  /** Of the memory in this thread. A search thread has those of a real board. */
  limits?: typeof LIMITS;
}

/** An index on a new connection to `board.db` in a folder; the caller closes both. */
export function openIndex(
  folder: string,
  { modelId = MODEL, dimension = DIMENSION, limits = SMALL, ...options }: OpenOptions = {},
): OpenIndex {
  const database = new DatabaseSync(join(folder, "board.db"), { timeout: 1000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  const index = new StandaloneIndex({ modelId, dimension }, { limits, ...options });
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === 0) {
    for (const statement of index.migrations) database.exec(statement);
    database.exec("PRAGMA user_version = 1");
  }
  index.attach(database);
  return {
    index,
    database,
    folder,
    write(change) {
      database.exec("BEGIN IMMEDIATE");
      change(index);
      database.exec("COMMIT");
      index.committed();
    },
    async find(q, vector) {
      const asked = question({ q, vector: vector ?? null, minCosine: 0.1 });
      return (await index.ask("rank", asked, aPage(100))).map(({ id }) => id);
    },
    async pass(filter) {
      const places = await index.ask("list", question({ filter }), {
        order: "newest",
        after: null,
        limit: 10_000,
      });
      return places.map(({ id }) => id).sort();
    },
  };
}

/**
 * Gives each test of the calling file an empty file for indexes.
 * @returns opens an index on a new connection to the test's file; closed after the test
 */
export function useIndexFile(): (options?: OpenOptions) => OpenIndex {
  const folder = useFolderForEach();
  const opened: OpenIndex[] = [];
  afterEach(() => {
    for (const { database } of opened.splice(0)) database.close();
  });
  return (options) => {
    const one = openIndex(folder(), options);
    opened.push(one);
    return one;
  };
}

/** A question at `NOW`, with no conditions except those given. */
export function question({
  words,
  ...asked
}: Parameters<typeof aQuestion>[0] & { words?: Question["words"] }): Question {
  const filter = { includeExpired: false, now: NOW, createdUntil: NOW + 1000 * DAY_MS, ...asked.filter };
  const { words: parsed, ...rest } = aQuestion({ ...asked, filter });
  return { ...rest, words: words ?? parsed };
}

/** A random vector for each whole number, the same at every run. */
export function vectorOf(seed: number): Int8Array {
  const random = seeded(seed);
  return Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 255) - 127);
}
