import type { IndexFeed } from "../../../../ports/index-feed.ts";
import type { Taken } from "./change-queue.ts";
import type { ReplicaFile } from "./file.ts";
import { inTurns } from "./time-slices.ts";
import { changesOf, write } from "./write.ts";

/** Posts, or publishers, read at once. */
const PAGE = 1_000;
/** A page of a scan beside others' questions and writes, which wait for it. */
const SMALL_PAGE = 200;
/** Posts written in one transaction of the first scan: the full-text index writes a segment for each. */
const POSTS_PER_COMMIT = 5_000;

interface Page<T> {
  rows: T[];
  next: string | null;
}
type Read<T> = (after: string | null, limit: number) => Promise<Page<T>>;

/**
 * Fills a new file with everything, reading the next page while it writes one. Nothing else may be taken in meanwhile.
 * @param signal  ends it between two pages, by an error
 */
export async function fill(
  file: ReplicaFile,
  feed: IndexFeed,
  place: string,
  signal: AbortSignal,
): Promise<void> {
  const { index } = file;
  const commit = () => {
    file.commit();
    file.begin();
  };
  const open = { pause() {}, resume() {} };
  file.beginFilling();
  file.begin();
  try {
    for await (const rows of pages((after, limit) => feed.scanPublishers(after, limit), signal)) {
      await inTurns(changesOf(index, { ...NOTHING, publishers: rows }), open);
    }
    let posts = 0;
    for await (const rows of pages((after, limit) => feed.scanPosts(after, limit), signal)) {
      await inTurns(changesOf(index, { ...NOTHING, posts: rows }), open);
      posts += rows.length;
      if (posts % POSTS_PER_COMMIT < rows.length) commit();
    }
    file.commit();
  } catch (error) {
    file.rollback();
    throw error;
  }
  file.endFilling();
  file.begin();
  file.savePlace(place);
  file.commit();
}

/** Rows of all pages; the next page is on its way while one is in use. */
async function* pages<T>(read: Read<T>, signal: AbortSignal): AsyncGenerator<T[]> {
  let coming: Promise<Page<T>> | null = read(null, PAGE);
  while (coming !== null) {
    const { rows, next }: Page<T> = await coming;
    signal.throwIfAborted();
    coming = next === null ? null : read(next, PAGE);
    // Its failure is met when its turn comes.
    coming?.catch(() => {});
    yield rows;
  }
}

/**
 * Brings a file that holds an older state up to date: reads everything again, a small page at a time, and takes out what is
 * not there any more. Each page is read and written alone, so that it replaces nothing newer.
 *
 * @param alone  runs a job while nothing else is taken in, and again when it fails
 */
export async function scanAgain(
  file: () => ReplicaFile,
  feed: IndexFeed,
  alone: (job: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await walk(
    (after, limit) => feed.scanPublishers(after, limit),
    (rows, after, until) => ({
      ...NOTHING,
      publishers: rows,
      gonePublishers: without(file().index.publishersBetween(after, until), rows, ({ id }) => id),
    }),
  );
  await walk(
    (after, limit) => feed.scanPosts(after, limit),
    (rows, after, until) => ({
      ...NOTHING,
      posts: rows,
      gonePosts: without(file().index.postsBetween(after, until), rows, ({ entry }) => entry.id),
    }),
  );

  /** `taken` says what a page changes, which holds all ids in `(after, until]`; `until` is null for the last page. */
  async function walk<T>(
    read: Read<T>,
    taken: (rows: T[], after: string, until: string | null) => Taken,
  ): Promise<void> {
    let after: string | null = null;
    do {
      const from: string | null = after;
      await alone(async () => {
        const { rows, next } = await read(from, SMALL_PAGE);
        await write(file(), taken(rows, from ?? "", next), null);
        after = next;
      });
      signal.throwIfAborted();
    } while (after !== null);
  }
}

function without<T>(ids: readonly string[], rows: readonly T[], idOf: (row: T) => string): string[] {
  const there = new Set(rows.map(idOf));
  return ids.filter((id) => !there.has(id));
}

const NOTHING: Taken = { posts: [], publishers: [], gonePosts: [], gonePublishers: [] };
