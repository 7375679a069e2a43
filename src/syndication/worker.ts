import { parentPort } from "node:worker_threads";
import { stepBack } from "../platform/start-worker.ts";
import { entriesOf } from "./entries.ts";
import { FeedError } from "./item.ts";
import type { ReadRequest, ReadResult } from "./read.ts";

if (parentPort !== null) stepBack("feeds");
parentPort?.on("message", (request: ReadRequest) => parentPort?.postMessage(answer(request)));

function answer({ sent, feed, now }: ReadRequest): ReadResult {
  try {
    return { read: entriesOf(sent, feed, now) };
  } catch (error) {
    if (error instanceof FeedError) return { refusal: error.message };
    throw error;
  }
}
