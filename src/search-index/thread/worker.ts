import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Question, Ranked } from "../../ports/search-index.ts";
import { stepBack } from "../../start-worker.ts";
import { LocalAnswers } from "../local.ts";
import { Lender, Turns } from "../memory/lending.ts";
import { sqliteCode } from "../sqlite-errors.ts";
import { Tables } from "../tables.ts";
import { HelperThread } from "./helper.ts";
import {
  isLong,
  isUrgent,
  packRanking,
  type ThreadNews,
  type ThreadOrder,
  type ThreadQuestion,
  type ThreadStart,
} from "./messages.ts";

/** How long a statement waits while another connection holds the file. No event loop waits here. */
const BUSY_TIMEOUT_MS = 5_000;

if (parentPort !== null) serve(parentPort, workerData as ThreadStart);

const isQuestion = (arg: unknown): arg is Question =>
  typeof arg === "object" && arg !== null && "minCosine" in arg;

/** Answers one question after another, long ones last, urgent ones in the midst of these, until it is told to end. */
function serve(port: NonNullable<typeof parentPort>, start: ThreadStart): void {
  stepBack("search");
  const database = new DatabaseSync(start.file, { timeout: BUSY_TIMEOUT_MS });
  const pause = () => answerUrgent();
  const notSent = new Int32Array(start.waiting);
  const helper = HelperThread.where(() => Atomics.load(notSent, 0) > 0);
  const say = (news: ThreadNews) => port.postMessage(news);
  const lender = new Lender(new Turns(start.turns), (loan) => say({ loan }));
  const answers = new LocalAnswers(database, new Tables(database), start.model, { lender, pause, helper });
  const goneIds = new Int32Array(start.gone);
  const waiting: ThreadQuestion[] = [];
  let [isBusy, ends] = [false, false];
  const take = (order: ThreadOrder) => {
    if (order === "forget") answers.forget();
    else if (order === "end") ends = true;
    else waiting.push(order);
  };
  /** Takes what came while this thread was at work. */
  const takeSent = () => {
    for (let sent = receiveMessageOnPort(port); sent !== undefined; sent = receiveMessageOnPort(port))
      take(sent.message);
  };
  port.on("message", async (order: ThreadOrder) => {
    take(order);
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0) {
      const short = waiting.findIndex(({ method }) => !isLong(method));
      for (const next of waiting.splice(Math.max(0, short), 1)) await answer(next);
      // What came meanwhile may be short.
      takeSent();
    }
    isBusy = false;
    if (ends) await end();
  });
  const end = async () => {
    await answers.close();
    await helper?.end();
    database.close();
    port.close();
  };
  const fail = (id: number, error: unknown) =>
    say({ id, failure: { message: (error as Error).message, errcode: sqliteCode(error) } });
  const answerUrgent = () => {
    takeSent();
    for (const question of waiting.filter(isUrgent)) {
      try {
        const answer = answers.relatedMeanwhile(...question.args);
        if (answer === null) continue;
        say({ id: question.id, answer });
      } catch (error) {
        fail(question.id, error);
      }
      waiting.splice(waiting.indexOf(question), 1);
    }
  };
  const answer = async ({ id, method, args: [first, ...others] }: ThreadQuestion) => {
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
      fail(id, error);
    }
  };
  answers.follower.follow();
  say("ready");
}
