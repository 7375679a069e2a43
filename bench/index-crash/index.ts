/**
 * A process that writes posts into the embedded index, compacts its memory and saves snapshots all the time, killed again
 * and again. After each kill the index, started from what the dead process left, must answer as one that is rebuilt from
 * the tables, and the tables must hold what was committed.
 *
 *   npx tsx bench/index-crash/index.ts [kills = 50] [seed = 1]
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { LIMITS } from "../../src/search-index/follower.ts";
import { allAnswers } from "../../test/support/search/all-answers.ts";
import { hasUnfinished, openIndex } from "../../test/support/search/open-index.ts";
import { killAtWork } from "../support/killed.ts";
import { historyOf, transactionsOf } from "./progress.ts";

const WRITER = join(import.meta.dirname, "writer.ts");
/** Kills come at most this long after the process began to write. */
const WRITING_MS_MAX = 400;

export interface IndexCrashRun {
  kills: number;
  /** Transactions that survived. */
  transactions: number;
  /** Starts that took the snapshot of the dead process; the others read the tables. */
  fromSnapshot: number;
  /** Starts that answered otherwise than an index rebuilt from the tables. */
  different: number;
  /** Starts after which the tables held other posts than were committed. */
  lost: number;
  seconds: number;
}

export async function indexCrashRun(options: { kills: number; seed: number }): Promise<IndexCrashRun> {
  const began = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "index-crash-"));
  const run: IndexCrashRun = {
    kills: 0,
    transactions: 0,
    fromSnapshot: 0,
    different: 0,
    lost: 0,
    seconds: 0,
  };
  try {
    while (run.kills < options.kills) {
      // The same moments at every run, spread over what a writer does.
      await killAtWork(WRITER, [folder, String(options.seed)], (run.kills * 149) % WRITING_MS_MAX);
      run.kills += 1;
      const found = await examine(folder, options.seed);
      run.transactions = found.transactions;
      if (found.fromSnapshot) run.fromSnapshot += 1;
      if (!found.same) run.different += 1;
      if (!found.complete) run.lost += 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { ...run, seconds: Math.round((performance.now() - began) / 1_000) };
}

/** Looks at copies of what is there, so that the next writer finds it as the last one left it. */
async function examine(folder: string, seed: number) {
  const copies = await mkdtemp(join(tmpdir(), "index-crash-"));
  try {
    const [left, rebuilt] = [join(copies, "left"), join(copies, "rebuilt")];
    await cp(folder, left, { recursive: true });
    await cp(folder, rebuilt, { recursive: true, filter: (path) => !path.includes("-search") });
    const limits = { ...LIMITS, snapshotFrom: 1, snapshotEvery: Number.POSITIVE_INFINITY };
    const one = openIndex(left, { limits });
    one.index.follow();
    // A start that finds none begins to write one.
    const fromSnapshot = !hasUnfinished(left);
    const other = openIndex(rebuilt);
    const same = isDeepStrictEqual(await allAnswers(one.index), await allAnswers(other.index));
    const transactions = transactionsOf(other.database);
    const ids = other.index.postsBetween("", null);
    const complete = isDeepStrictEqual(ids, [...historyOf(seed, transactions).posts.keys()].sort());
    for (const { index, database } of [one, other]) {
      await index.close();
      database.close();
    }
    return { fromSnapshot, same, complete, transactions };
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const kills = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? 1);
  console.log(JSON.stringify(await indexCrashRun({ kills, seed }), null, 2));
}
