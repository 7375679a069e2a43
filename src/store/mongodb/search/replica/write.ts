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
    const gone = changes.gonePosts.length + changes.gonePublishers.length;
    if (gone > 0 || changes.publishers.some(({ row }) => row === null)) file.emptyLog();
  } catch (error) {
    file.rollback();
    throw error;
  }
}

/** Changes of an index and its copies as small jobs. A publisher that is gone goes after its posts. */
export function changeJobs(
  { index, copies }: Pick<ReplicaFile, "index" | "copies">,
  changes: IndexChanges,
): (() => void)[] {
  return [
    ...changes.publishers.map(({ id, verified, suspended, row }) => () => {
      index.putPublisher(id, { verified, suspended });
      copies.putPublisher(id, row);
    }),
    ...changes.posts.map(({ entry, post, vector }) => () => {
      index.put(entry);
      copies.put(post);
      if (vector === null) index.removeVector(entry.id);
      else index.putVector(entry.id, vector.model, vector.vector);
    }),
    ...changes.gonePosts.map((id) => () => {
      index.remove(id);
      copies.remove(id);
    }),
    ...changes.gonePublishers.map((id) => () => {
      index.removePublisher(id);
      copies.removePublisher(id);
    }),
  ];
}
