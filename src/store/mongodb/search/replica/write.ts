import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexFeed } from "../../../../ports/index-feed.ts";
import type { ReplicaFile } from "./file.ts";
import type { IndexChanges } from "./queue.ts";

/** How long the jobs may hold the event loop, in milliseconds. */
const TURN_MS = 8;
/** Posts, or publishers, read and written at once by the first scan. */
const PAGE = 2_000;

/** Writes changes in transactions of a few milliseconds; the last one also saves the place. */
export async function writeChanges(
  file: ReplicaFile,
  changes: IndexChanges,
  place: string | null,
): Promise<void> {
  await inTransaction(file, async () => {
    await inTimeSlices(jobsOf(file, changes), async () => {
      file.commit();
      file.index.follow();
      await nextTurn();
      file.begin();
    });
    if (place !== null) file.savePlace(place);
  });
  file.index.follow();
  // No byte of an erased text may stay.
  if (changes.gonePosts.length + changes.gonePublishers.length > 0) file.emptyLog();
}

/**
 * Fills a new file with everything. Nothing else may use it meanwhile.
 * @param place  of the feed, from before this call
 * @param signal  ends it between two pages with an error
 */
export async function fillReplica(
  file: ReplicaFile,
  feed: Pick<IndexFeed, "scanPosts" | "scanPublishers">,
  place: string,
  signal: AbortSignal,
): Promise<void> {
  const write = (rows: Partial<IndexChanges>) =>
    inTransaction(file, () => inTimeSlices(jobsOf(file, { ...NOTHING, ...rows }), nextTurn));
  file.beginFilling();
  for (let after: string | null | undefined; after !== null; ) {
    const { rows, next } = await feed.scanPublishers(after ?? null, PAGE);
    signal.throwIfAborted();
    await write({ publishers: rows });
    after = next;
  }
  for (let after: string | null | undefined; after !== null; ) {
    const { rows, next } = await feed.scanPosts(after ?? null, PAGE);
    signal.throwIfAborted();
    await write({ posts: rows });
    after = next;
  }
  await file.endFilling(place);
}

const NOTHING: IndexChanges = { posts: [], publishers: [], gonePosts: [], gonePublishers: [] };

async function inTransaction(file: ReplicaFile, write: () => Promise<void>): Promise<void> {
  file.begin();
  try {
    await write();
    file.commit();
  } catch (error) {
    file.rollback();
    throw error;
  }
}

/** Runs small jobs in order, and `pause` between them every 8 ms. */
async function inTimeSlices(jobs: readonly (() => void)[], pause: () => Promise<unknown>): Promise<void> {
  let until = performance.now() + TURN_MS;
  for (const job of jobs) {
    if (performance.now() > until) {
      await pause();
      until = performance.now() + TURN_MS;
    }
    job();
  }
}

/** Changes of an index as small jobs. A publisher that is gone goes after its posts. */
function jobsOf({ index }: ReplicaFile, changes: IndexChanges): (() => void)[] {
  return [
    ...changes.publishers.map(
      ({ id, verified, suspended }) =>
        () =>
          index.putPublisher(id, { verified, suspended }),
    ),
    ...changes.posts.map(({ entry, vector }) => () => {
      index.put(entry);
      if (vector === null) index.removeVector(entry.id);
      else index.putVector(entry.id, vector.model, vector.vector);
    }),
    ...changes.gonePosts.map((id) => () => index.remove(id)),
    ...changes.gonePublishers.map((id) => () => index.removePublisher(id)),
  ];
}
