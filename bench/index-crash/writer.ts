/** Writes to the index in a folder until it is killed. Arguments: the folder, and the seed of the history. */
import { setImmediate as turn } from "node:timers/promises";
import { LIMITS } from "../../src/search-index/follower.ts";
import { openIndex } from "../../test/support/search/open-index.ts";
import { historyOf, PROGRESS, transactionsOf, writeNext } from "./progress.ts";

/** So small that the memory is compacted and saved all the time. */
const SMALL = {
  ...LIMITS,
  codesFrom: 200,
  deadRows: 20,
  snapshotFrom: 100,
  snapshotEvery: 40,
  snapshotPauseMs: 0,
};

const [folder = "", seed = "1"] = process.argv.slice(2);
const opened = openIndex(folder, { limits: SMALL });
opened.database.exec(PROGRESS);
const history = historyOf(Number(seed), transactionsOf(opened.database));
opened.index.follow();
process.stdout.write("ready\n");
for (;;) {
  writeNext(opened, history);
  opened.index.follow();
  // The snapshot goes on in between, as it does beside requests.
  for (let i = 0; i < 7; i += 1) await turn();
}
