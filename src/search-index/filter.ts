import type { PostFilter } from "../schema/filter.ts";
import { boxAround, distanceKm, inBox } from "../search/distance.ts";
import { type Columns, kindBit, MARK, STATUS } from "./columns.ts";

/** The rows that pass a filter, ascending. One pass over the columns, cheapest checks first. */
export function rowsPassing(columns: Columns, filter: PostFilter): Uint32Array {
  const { size, marks, kind, parent, publisher, expiresAt, createdAt, windowStart, windowEnd } = columns;
  const rows = new Uint32Array(columns.size);
  let count = 0;

  const owner = filter.publisherId === null ? -1 : (columns.publishers.find(filter.publisherId) ?? -2);
  const root = filter.parentId === null ? -1 : (columns.parents.find(filter.parentId) ?? -2);
  if (owner === -2 || root === -2) return rows.subarray(0, 0);
  const kinds = filter.kinds === null ? 0xff : filter.kinds.reduce((bits, one) => bits | kindBit(one), 0);
  const topLevelOnly = root === -1 && !filter.includeReplies;
  const aliveAfter = filter.includeExpired ? Number.NEGATIVE_INFINITY : filter.now;
  const after = filter.after ?? Number.NEGATIVE_INFINITY;
  const before = filter.before ?? Number.POSITIVE_INFINITY;
  const bounded = filter.after !== null || filter.before !== null;
  const markMask = filter.includeSyndicated ? MARK.live : MARK.live | MARK.syndicated;
  const { createdUntil, verifiedOnly, datedOnly = false } = filter;
  const ranks = verifiedOnly || columns.suspended > 0;
  const tagged = tagTest(columns, filter.tags);
  const near = nearTest(columns, filter.near);

  for (let row = 0; row < size; row += 1) {
    const mark = marks[row] ?? 0;
    if ((mark & markMask) !== MARK.live) continue;
    if (((kind[row] ?? 0) & kinds) === 0) continue;
    if ((expiresAt[row] ?? 0) <= aliveAfter) continue;
    if (topLevelOnly ? parent[row] !== -1 : root !== -1 && parent[row] !== root) continue;
    if ((createdAt[row] ?? 0) > createdUntil) continue;
    if (datedOnly && windowStart[row] === createdAt[row]) continue;
    if (bounded && ((windowEnd[row] ?? 0) < after || (windowStart[row] ?? 0) > before)) continue;
    if (owner !== -1 && publisher[row] !== owner) continue;
    if (ranks) {
      const status = columns.status[publisher[row] ?? 0] ?? 0;
      if ((status & STATUS.suspended) !== 0) continue;
      if (verifiedOnly && (status & STATUS.verified) === 0) continue;
    }
    if (tagged !== null && !tagged(row)) continue;
    if (near !== null && !near(row)) continue;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
}

function tagTest(columns: Columns, tags: readonly string[] | null): ((row: number) => boolean) | null {
  if (tags === null) return null;
  const wanted = new Uint8Array(columns.tagNames.size);
  for (const tag of tags) {
    const number = columns.tagNames.find(tag);
    if (number !== undefined) wanted[number] = 1;
  }
  const { tagsAt, tagCount, tags: numbers } = columns;
  return (row) => {
    const start = tagsAt[row] ?? 0;
    const end = start + (tagCount[row] ?? 0);
    for (let at = start; at < end; at += 1) if (wanted[numbers[at] ?? 0] === 1) return true;
    return false;
  };
}

function nearTest(columns: Columns, near: PostFilter["near"]): ((row: number) => boolean) | null {
  if (near === null) return null;
  const box = boxAround(near, near.radiusKm);
  return (row) => {
    if (((columns.marks[row] ?? 0) & MARK.place) === 0) return false;
    const lat = columns.lat[row] ?? 0;
    const lng = columns.lng[row] ?? 0;
    return inBox(box, lat, lng) && distanceKm(near, { lat, lng }) <= near.radiusKm;
  };
}
