import { parentPort, workerData } from "node:worker_threads";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Question, Ranked } from "../../ports/search-index.ts";
import { LocalAnswers } from "../local.ts";
import { sqliteCode } from "../sqlite-errors.ts";
import { Tables } from "../tables.ts";
import { packRanking, type ThreadNews, type ThreadOrder, type ThreadStart } from "./messages.ts";

/** How long a statement waits while another connection holds the file. No event loop waits here. */
const BUSY_TIMEOUT_MS = 5_000;

if (parentPort !== null) serve(parentPort, workerData as ThreadStart);

const isQuestion = (arg: unknown): arg is Question =>
  typeof arg === "object" && arg !== null && "minCosine" in arg;

/** Answers one question after another until it is told to end. */
function serve(port: NonNullable<typeof parentPort>, start: ThreadStart): void {
  const database = new DatabaseSync(start.file, { timeout: BUSY_TIMEOUT_MS });
  const answers = new LocalAnswers(database, new Tables(database), start.model);
  const say = (news: ThreadNews) => port.postMessage(news);
  const goneIds = new Int32Array(start.gone);
  // In the order of asking; `end` waits for the questions before it.
  let last = Promise.resolve();
  port.on("message", (order: ThreadOrder) => {
    last = last.then(async () => {
      if (order === "forget") answers.forget();
      else if (order === "end") await end();
      else await answer(order);
    });
  });
  const end = async () => {
    await answers.close();
    database.close();
    port.close();
  };
  const answer = async ({ id, method, args: [first, ...others] }: Exclude<ThreadOrder, string>) => {
    // No event reaches this thread while it searches; what another thread writes into shared memory does.
    const gone = {
      get aborted() {
        return Atomics.load(goneIds, id) === 1;
      },
    };
    try {
      const ask = answers[method] as (...args: unknown[]) => Promise<unknown>;
      const found = await ask.call(answers, isQuestion(first) ? { ...first, gone } : first, ...others);
      say({ id, answer: method === "rank" ? packRanking(found as Ranked[]) : found });
    } catch (error) {
      const { message } = error as Error;
      say({ id, failure: { message, errcode: sqliteCode(error) } });
    }
  };
  answers.follower.follow();
  say("ready");
}
