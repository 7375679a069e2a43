import type { EmbeddedIndex } from "../../../../search-index/index.ts";
import type { IndexChanges } from "./change-queue.ts";
import type { ReplicaFile } from "./file.ts";
import { inTimeSlices } from "./time-slices.ts";

/** Writes changes in transactions of a few milliseconds; the last one also saves the place. */
export async function writeChanges(
  file: ReplicaFile,
  changes: IndexChanges,
  place: string | null,
): Promise<void> {
  file.begin();
  try {
    await inTimeSlices(indexJobs(file.index, changes), { pause: file.commit, resume: file.begin });
    if (place !== null) file.savePlace(place);
    file.commit();
    // No byte of an erased text may stay.
    if (changes.gonePosts.length > 0) file.emptyLog();
  } catch (error) {
    file.rollback();
    throw error;
  }
}

/** Changes of an index as small jobs. */
export function indexJobs(index: EmbeddedIndex, changes: IndexChanges): (() => void)[] {
  return [
    ...changes.publishers.map(
      ({ id, ...status }) =>
        () =>
          index.putPublisher(id, status),
    ),
    ...changes.gonePublishers.map((id) => () => index.removePublisher(id)),
    ...changes.posts.map(({ entry, vector }) => () => {
      index.put(entry);
      if (vector === null) index.removeVector(entry.id);
      else index.putVector(entry.id, vector.model, vector.vector);
    }),
    ...changes.gonePosts.map((id) => () => index.remove(id)),
  ];
}
