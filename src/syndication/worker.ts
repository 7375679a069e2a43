import { parentPort } from "node:worker_threads";
import { stepBack } from "../start-worker.ts";
import { entriesOf } from "./entries.ts";
import { FeedError } from "./item.ts";
import type { ReadNews, ReadOrder } from "./read.ts";

if (parentPort !== null) stepBack("feeds");
parentPort?.on("message", (order: ReadOrder) => parentPort?.postMessage(answer(order)));

function answer({ sent, feed, now }: ReadOrder): ReadNews {
  try {
    return { read: entriesOf(sent, feed, now) };
  } catch (error) {
    if (error instanceof FeedError) return { refusal: error.message };
    throw error;
  }
}
