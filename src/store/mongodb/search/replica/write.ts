import type { EmbeddedIndex } from "../../../../search-index/index.ts";
import type { Taken } from "./change-queue.ts";
import type { ReplicaFile } from "./file.ts";
import { inTurns } from "./time-slices.ts";

/** Writes what was taken in, in transactions of some milliseconds; the place is in the last of them. */
export async function write(file: ReplicaFile, taken: Taken, place: string | null): Promise<void> {
  file.begin();
  try {
    await inTurns(changesOf(file.index, taken), { pause: file.commit, resume: file.begin });
    if (place !== null) file.savePlace(place);
    file.commit();
    // An erased text must leave no byte behind.
    if (taken.gonePosts.length > 0) file.emptyLog();
  } catch (error) {
    file.rollback();
    throw error;
  }
}

/** What has to be done to an index, in small jobs. */
export function changesOf(index: EmbeddedIndex, taken: Taken): (() => void)[] {
  return [
    ...taken.publishers.map(
      ({ id, ...standing }) =>
        () =>
          index.putPublisher(id, standing),
    ),
    ...taken.gonePublishers.map((id) => () => index.removePublisher(id)),
    ...taken.posts.map(({ entry, vector }) => () => {
      index.put(entry);
      if (vector === null) index.removeVector(entry.id);
      else index.putVector(entry.id, vector.model, vector.vector);
    }),
    ...taken.gonePosts.map((id) => () => index.remove(id)),
  ];
}
