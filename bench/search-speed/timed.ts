import { percentiles } from "../support/measure.ts";

/** Questions asked before the clock runs, for at most a second: the compiler takes some hundred to be done with an engine. */
const WARM_UP = 300;
const WARM_UP_MS = 1_000;
/** Rounds end after the first that passes this. */
const ENOUGH_MS = 4_000;
const MAX_ROUNDS = 20;
/** A slow engine is asked no more once it has used up this, and has answered as many questions as there are short ones. */
const PATIENCE_MS = 20_000;
const LEAST_ANSWERS = 12;

export interface Timed {
  times: ReturnType<typeof percentiles>;
  /** CPU time of a question, of all threads, on average: other work on the machine hardly changes it. */
  cpuMs: number;
  /** Counts the ids of an answer, on average. */
  found: number;
}

/** Asks each question in turn, round after round, one at a time. */
export async function timed<Q>(
  questions: readonly Q[],
  ask: (question: Q) => Promise<readonly string[]>,
): Promise<Timed> {
  await warmUp(questions, ask);
  const times: number[] = [];
  let found = 0;
  const began = performance.now();
  const cpu = process.cpuUsage();
  for (let round = 0; round < MAX_ROUNDS && performance.now() - began < ENOUGH_MS; round += 1) {
    for (const question of questions) {
      if (times.length >= LEAST_ANSWERS && performance.now() - began > PATIENCE_MS) break;
      const asked = performance.now();
      const ids = await ask(question);
      times.push(performance.now() - asked);
      found += ids.length;
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    times: percentiles(times),
    cpuMs: (user + system) / 1000 / times.length,
    found: found / times.length,
  };
}

async function warmUp<Q>(questions: readonly Q[], ask: (question: Q) => Promise<unknown>): Promise<void> {
  const began = performance.now();
  for (let asked = 0; asked < WARM_UP; asked += 1) {
    if (asked > 0 && performance.now() - began > WARM_UP_MS) return;
    const question = questions[asked % questions.length];
    if (question !== undefined) await ask(question);
  }
}
