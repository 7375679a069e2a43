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
    await inTimeSlices(changeJobs(file, changes), { pause: file.commit, resume: file.begin });
    if (place !== null) file.savePlace(place);
    file.commit();
    // No byte of an erased text may stay.
    if (changes.gonePosts.length + changes.gonePublishers.length > 0) file.emptyLog();
  } catch (error) {
    file.rollback();
    throw error;
  }
}

/** Changes of an index as small jobs. A publisher that is gone goes after its posts. */
export function changeJobs({ index }: Pick<ReplicaFile, "index">, changes: IndexChanges): (() => void)[] {
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
