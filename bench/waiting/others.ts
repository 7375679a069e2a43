/** Callers that do not wait, in a thread of their own: the agents keep the main one busy while all are woken. */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const EVERY_MS = 25;

/** Each message asks for the milliseconds of every call since the last. */
const took: number[] = [];
parentPort?.on("message", () => parentPort?.postMessage(took.splice(0)));

for (let turn = 0; ; turn += 1) {
  const began = performance.now();
  const answer = await fetch(
    `${workerData.api}/${turn % 2 === 0 ? "posts?limit=10" : "search?q=post&limit=10"}`,
  );
  await answer.text();
  took.push(performance.now() - began);
  await sleep(EVERY_MS);
}
