import { siblingOf, startWorker } from "../start-worker.ts";
import { FeedError, type FeedItem, type Reading } from "./item.ts";
import type { FeedKind } from "./kinds/index.ts";

/** What takes longer, or more memory, is given up: ten thousand events take a second. */
const DEADLINE_MS = 60_000;
const HEAP_MAX_MB = 512;

export interface Read {
  items: FeedItem[];
  /** Entries that could not be read. */
  unread: number;
}

/** What the thread is given, and what it answers. */
export interface ReadOrder {
  kind: FeedKind;
  text: string;
  reading: Reading;
}
export type ReadNews = { read: Read } | { refusal: string };

/**
 * Reads a feed in a thread of its own, however short it is: one line can ask for a recurrence that never comes.
 * @throws FeedError
 */
export async function readFeed(
  order: ReadOrder,
  deadlineMs = DEADLINE_MS,
  heapMb = HEAP_MAX_MB,
): Promise<Read> {
  const worker = startWorker(siblingOf(import.meta.url, "worker"), order, {
    maxOldGenerationSizeMb: heapMb,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const news = await new Promise<ReadNews>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (cause) => reject(new FeedError("The feed could not be read.", { cause })));
      timer = setTimeout(() => resolve({ refusal: "Reading the feed takes too long." }), deadlineMs);
    });
    if ("read" in news) return news.read;
    throw new FeedError(news.refusal);
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
