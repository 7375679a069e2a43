import { siblingOf, startWorker } from "../start-worker.ts";
import { FeedError, type FeedItem, type Reading } from "./item.ts";
import { FEED_FORMATS, type FeedKind } from "./kinds/index.ts";

/** Longer texts are read in a thread of their own: ten thousand events take a second. */
const INLINE_MAX = 100_000;
/** What takes longer is given up. */
const DEADLINE_MS = 30_000;

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
 * Reads a feed without holding up the event loop.
 * @throws FeedError
 */
export async function readFeed(order: ReadOrder): Promise<Read> {
  const { kind, text, reading } = order;
  if (text.length <= INLINE_MAX) return FEED_FORMATS[kind].parse(text, reading);
  const worker = startWorker(siblingOf(import.meta.url, "worker"), order);
  let timer: NodeJS.Timeout | undefined;
  try {
    const news = await new Promise<ReadNews>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      timer = setTimeout(() => resolve({ refusal: "Reading the feed takes too long." }), DEADLINE_MS);
    });
    if ("read" in news) return news.read;
    throw new FeedError(news.refusal);
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
