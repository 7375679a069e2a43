import { parentPort, workerData } from "node:worker_threads";
import { Comparer } from "../../search/kernel/comparison.ts";
import { codeLayout } from "../../search/kernel/sign-codes.ts";
import { stepBack } from "../../start-worker.ts";
import { HELPER, type HelperOrder } from "./messages.ts";

const port = parentPort;
if (port !== null) {
  stepBack("search");
  const state = new Int32Array(workerData as SharedArrayBuffer);
  let comparer: Comparer | null = null;
  port.on("message", (order: HelperOrder) => {
    if ("memory" in order) comparer = new Comparer(order.memory, codeLayout(order.dimension));
    else Atomics.add(state, HELPER.chunks, comparer?.help(order) ?? 0);
  });
  Atomics.store(state, HELPER.ready, 1);
}
