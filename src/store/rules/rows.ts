import { NEVER_SHOWN, type PostChange, type StoredPost } from "../../ports/store/index.ts";

const IDS_MAX = 1000;

/** @throws RangeError for more ids than one call may name */
export function limitIds(ids: readonly string[]): void {
  if (ids.length > IDS_MAX) throw new RangeError(`At most ${IDS_MAX} ids.`);
}

/** Puts the rows that exist in the order of `ids`. */
export function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Changes a row; gives `before` itself when there is nothing to change. */
export function changedRow<Row extends object>(
  before: Row,
  change: Partial<Row> | ((row: Row) => Partial<Row> | null),
): Row {
  const changes = typeof change === "function" ? change(before) : change;
  return changes === null ? before : { ...before, ...changes };
}

/** Gives a post after an edit, or null when it is removed, or its `updatedAt` is no longer `asOf`. */
export function editedPost(
  before: StoredPost,
  change: PostChange,
  asOf: number | undefined,
): StoredPost | null {
  if (change.state === "removed")
    throw new Error("Posts are removed by `remove`, which takes replies along.");
  if (before.state === "removed" || (asOf !== undefined && before.updatedAt !== asOf)) return null;
  const expiresAt = before.parentId === null ? (change.expiresAt ?? before.expiresAt) : before.expiresAt;
  return { ...before, ...change, expiresAt };
}

/** Tells whether a change shows a post that was held back since it was written. */
export const isFirstShown = (before: StoredPost, after: StoredPost): boolean =>
  before.writtenNo === NEVER_SHOWN && after.state === "active";

/** Gives a reply as it is written: it expires with its root, whose expiry it may have moved. */
export function replyWithin(reply: StoredPost, rootExpiresAt: number): StoredPost {
  return { ...reply, expiresAt: rootExpiresAt, expiryChosen: false };
}

/**
 * Repeats a bounded step until it finds nothing or `limit` is reached; resolves to the total.
 * @param step  does at most `most` and resolves to how many it did
 */
export async function inSteps(
  limit: number,
  perStep: number,
  step: (most: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (total < limit) {
    const done = await step(Math.min(perStep, limit - total));
    if (done === 0) break;
    total += done;
  }
  return total;
}
