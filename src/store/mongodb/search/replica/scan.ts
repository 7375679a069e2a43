import type { IndexFeed } from "../../../../ports/index-feed.ts";
import type { IndexChanges } from "./change-queue.ts";
import type { ReplicaFile } from "./file.ts";
import { inTimeSlices } from "./time-slices.ts";
import { changeJobs, writeChanges } from "./write.ts";

/** Posts, or publishers, read at once. */
const PAGE = 1_000;
/** The same for a scan while questions and writes go on, which wait for each page. */
const SMALL_PAGE = 200;
/** Posts written in one transaction of the first scan: the full-text index writes a segment for each. */
const POSTS_PER_COMMIT = 5_000;

interface Page<T> {
  rows: T[];
  next: string | null;
}
type Read<T> = (after: string | null, limit: number) => Promise<Page<T>>;

/**
 * Fills a new file with everything, and reads the next page while it writes one. Nothing else may write meanwhile.
 * @param signal  ends it between two pages with an error
 */
export async function fillReplica(
  file: ReplicaFile,
  feed: IndexFeed,
  place: string,
  signal: AbortSignal,
): Promise<void> {
  const commit = () => {
    file.commit();
    file.begin();
  };
  const open = { pause() {}, resume() {} };
  file.beginFilling();
  file.begin();
  try {
    for await (const rows of pages((after, limit) => feed.scanPublishers(after, limit), signal)) {
      await inTimeSlices(changeJobs(file, { ...NOTHING, publishers: rows }), open);
    }
    let posts = 0;
    for await (const rows of pages((after, limit) => feed.scanPosts(after, limit), signal)) {
      await inTimeSlices(changeJobs(file, { ...NOTHING, posts: rows }), open);
      posts += rows.length;
      if (posts % POSTS_PER_COMMIT < rows.length) commit();
    }
    file.commit();
  } catch (error) {
    file.rollback();
    throw error;
  }
  await file.endFilling(place);
}

/** The rows of all pages; the next page is under way while one is in use. */
async function* pages<T>(read: Read<T>, signal: AbortSignal): AsyncGenerator<T[]> {
  let coming: Promise<Page<T>> | null = read(null, PAGE);
  while (coming !== null) {
    const { rows, next }: Page<T> = await coming;
    signal.throwIfAborted();
    coming = next === null ? null : read(next, PAGE);
    // A failure is met when its turn comes, not before.
    coming?.catch(() => {});
    yield rows;
  }
}

/**
 * Brings an older file up to date: reads everything again, in small pages, and removes what is gone. Each page is read and
 * written while nothing else is applied, so that it replaces nothing newer.
 *
 * @param exclusively  runs a job while nothing else is applied, and again when it fails
 */
export async function rescanReplica(
  file: () => ReplicaFile,
  feed: IndexFeed,
  exclusively: (job: () => Promise<void>) => Promise<void>,
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

  /** @param changes  of a page, which holds all ids in `(after, until]`; `until` is null for the last page */
  async function walk<T>(
    read: Read<T>,
    changes: (rows: T[], after: string, until: string | null) => IndexChanges,
  ): Promise<void> {
    let after: string | null = null;
    do {
      const from: string | null = after;
      await exclusively(async () => {
        const { rows, next } = await read(from, SMALL_PAGE);
        await writeChanges(file(), changes(rows, from ?? "", next), null);
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

const NOTHING: IndexChanges = { posts: [], publishers: [], gonePosts: [], gonePublishers: [] };
