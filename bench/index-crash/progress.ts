import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { History, type Writer } from "../../test/support/search/history.ts";
import type { OpenIndex } from "../../test/support/search/open-index.ts";

/** How many transactions of the history were committed. */
export const PROGRESS = `CREATE TABLE IF NOT EXISTS progress (transactions INTEGER NOT NULL) STRICT;
  INSERT INTO progress SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM progress)`;

/** Posts of the first transaction, and changes of each later one. */
const FIRST = 400;
const CHANGES = 12;
/** One transaction in so many removes most posts at once, which has the memory compacted. */
const THINNED_EVERY = 9;

export function transactionsOf(database: DatabaseSyncInstance): number {
  return (database.prepare("SELECT transactions FROM progress").get() as { transactions: number })
    .transactions;
}

/** The history after some transactions; it is the same in every process. */
export function historyOf(seed: number, transactions: number): History {
  const history = new History(seed);
  const nowhere: Writer = {
    put() {},
    remove() {},
    putVector() {},
    removeVector() {},
    putPublisher() {},
    removePublisher() {},
  };
  for (let at = 0; at < transactions; at += 1) change(history, nowhere, at);
  return history;
}

/** Commits the history's next transaction. */
export function writeNext({ database, write }: OpenIndex, history: History): void {
  write((index) => {
    change(history, index, transactionsOf(database));
    database.exec("UPDATE progress SET transactions = transactions + 1");
  });
}

function change(history: History, writer: Writer, at: number): void {
  if (at === 0) history.grow(writer, FIRST);
  else if (at % THINNED_EVERY === 0) {
    history.thin(writer, 0.6);
    history.grow(writer, FIRST / 2);
  } else history.go(writer, CHANGES);
}
