import type { PostChange, StoredPost } from "../../ports/store/index.ts";

/** A row after a change; the very row that came in when there is nothing to change. */
export function changedRow<Row extends object>(
  before: Row,
  change: Partial<Row> | ((row: Row) => Partial<Row> | null),
): Row {
  const changes = typeof change === "function" ? change(before) : change;
  return changes === null ? before : { ...before, ...changes };
}

/**
 * A post after an edit, or null when it is removed or no longer the one of `asOf` (its `updatedAt` then).
 * @throws Error for a removal
 */
export function editedPost(
  before: StoredPost,
  change: PostChange,
  asOf: number | undefined,
): StoredPost | null {
  if (change.state === "removed")
    throw new Error("Posts are removed by `remove`, which takes replies along.");
  if (before.state === "removed" || (asOf !== undefined && before.updatedAt !== asOf)) return null;
  return { ...before, ...change };
}
