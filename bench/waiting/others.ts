/** Callers that do not wait, in a thread of their own: the agents keep the main one busy while all are woken. */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const EVERY_MS = 25;

/** A message asks for the milliseconds of each call since the last; it is answered once there is one. */
let isAsked = false;
parentPort?.on("message", () => {
  isAsked = true;
});

const took: number[] = [];
for (let turn = 0; ; turn += 1) {
  const began = performance.now();
  const answer = await fetch(
    `${workerData.api}/${turn % 2 === 0 ? "posts?limit=10" : "search?q=post&limit=10"}`,
  );
  await answer.text();
  took.push(performance.now() - began);
  if (isAsked) parentPort?.postMessage(took.splice(0));
  isAsked = false;
  await sleep(EVERY_MS);
}
