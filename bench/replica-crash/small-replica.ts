import type { IndexFeed } from "../../src/ports/index-feed.ts";
import { LIMITS } from "../../src/search-index/follower.ts";
import { openReplica, type Replica } from "../../src/store/mongodb/search/replica/index.ts";
import { DIMENSION, MODEL } from "../../test/support/search/open-index.ts";

/** So small that the memory is compacted and saved all the time. */
const SMALL = {
  ...LIMITS,
  codesFrom: 200,
  deadRows: 20,
  snapshotFrom: 100,
  snapshotEvery: 40,
  snapshotPauseMs: 0,
};

/** A replica of a small board that is ready. */
export async function openSmallReplica(feed: IndexFeed, folder: string): Promise<Replica> {
  const replica = openReplica({
    feed,
    folder,
    board: "board",
    modelId: MODEL,
    dimension: DIMENSION,
    log: { info() {}, warn() {} },
    now: Date.now(),
    limits: SMALL,
  });
  if (!(await replica.readyWithin(60_000))) throw new Error("the replica is not ready");
  return replica;
}
