/**
 * One instance of `pushes.ts`: `push-instance.ts CHECKOUT URL ANSWER_MS`. Says `ready`, waits for the end of its input, and
 * delivers until nothing is left; then says how many pushes it settled, and when the last one was.
 */
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebhookDelivery } from "../../src/jobs/deliver-webhooks.ts";

/** Claims without a push after which nothing is left; another instance may hold the places of an origin meanwhile. */
const EMPTY_CLAIMS = 20;
const PAUSE_MS = 10;

const [checkout = "", url = "", answerMs = "0"] = process.argv.slice(2);
const { openMongodb } = await import(join(checkout, "src/store/mongodb/index.ts"));
const jobs = await import(join(checkout, "src/jobs/deliver-webhooks.ts"));
const store = await openMongodb(url);

let n = 0;
let last = Date.now();
let wake = () => {};
const delivery: WebhookDelivery = new jobs.WebhookDelivery({
  store,
  pushes: {
    async attempt() {
      if (answerMs !== "0") await sleep(Number(answerMs));
      const attempt = { at: Date.now(), latencyMs: Number(answerMs), status: 204, error: null };
      return { attempt, outcome: { state: "delivered", dueAt: null, deactivate: null } };
    },
  },
  clock: Date.now,
  ended() {
    n += 1;
    last = Date.now();
  },
  freed: () => wake(),
  failed(error: unknown) {
    console.error(error);
    process.exit(1);
  },
});
console.log("ready");
await text(process.stdin);
for (let empty = 0; empty < EMPTY_CLAIMS; ) {
  const freed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const claimed = await delivery.claim(Date.now());
  empty = claimed > 0 ? 0 : empty + 1;
  // As in the product: another claim follows an attempt that ended.
  await (claimed > 0 ? freed : Promise.race([freed, sleep(PAUSE_MS)]));
}
await delivery.stop();
await store.close();
console.log(JSON.stringify({ n, last }));
