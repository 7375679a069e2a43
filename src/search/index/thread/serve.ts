import { parentPort, workerData } from "node:worker_threads";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { stepBack } from "../../../platform/start-worker.ts";
import type { PostRows } from "../indexed-post.ts";
import { LocalAnswers } from "../local.ts";
import { sqliteCode } from "../sqlite-errors.ts";
import { Tables } from "../tables.ts";
import type { ThreadNews, ThreadOrder, ThreadStart } from "./index.ts";

/** A statement waits this long while another connection holds the file. No event loop waits here. */
const BUSY_TIMEOUT_MS = 5_000;

/** Answers one question after another in a worker thread until it is told to end. */
export function serveSearches(rowsOf: (database: DatabaseSyncInstance) => PostRows): void {
  const port = parentPort;
  if (port === null) return;
  const { file, model } = workerData as ThreadStart;
  stepBack("search");
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  const answers = new LocalAnswers(database, new Tables(database, rowsOf(database)), model);
  const say = (news: ThreadNews) => port.postMessage(news);
  port.on("message", async (order: ThreadOrder) => {
    if (order === "forget") answers.forget();
    else if (order === "end") {
      await answers.close();
      database.close();
      port.close();
    } else {
      try {
        say({ answer: await answers.ask(order.what, ...order.of) });
      } catch (error) {
        say({ failure: { message: (error as Error).message, errcode: sqliteCode(error) } });
      }
    }
  });
  answers.follower.follow();
  say("ready");
}
