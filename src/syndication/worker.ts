import { parentPort } from "node:worker_threads";
import { stepBack } from "../start-worker.ts";
import { FeedError } from "./item.ts";
import { FEED_FORMATS } from "./kinds/index.ts";
import type { ReadNews, ReadOrder } from "./read.ts";

if (parentPort !== null) stepBack("feeds");
parentPort?.on("message", (order: ReadOrder) => parentPort?.postMessage(answer(order)));

function answer({ kind, text, reading }: ReadOrder): ReadNews {
  try {
    return { read: FEED_FORMATS[kind].parse(text, reading) };
  } catch (error) {
    if (error instanceof FeedError) return { refusal: error.message };
    throw error;
  }
}
