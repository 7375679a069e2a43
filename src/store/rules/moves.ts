import { seriesOf, windowOf } from "../../ports/index-entry.ts";
import type { StoredPost, ToldChange } from "../../ports/store/index.ts";
import { plainWords } from "../../schema/source-key.ts";

/**
 * Adds to what those who were told of a post have not heard yet what an edit brings: a move in time or place, a
 * cancellation, an end before its time. Null for one that changes none of it, and for a post that was over.
 */
export function moveByEdit(before: StoredPost, after: StoredPost): ToldChange | null {
  const at = after.updatedAt;
  if (at === before.updatedAt || before.state !== "active" || isOver(before, at)) return before.change;
  const ends = after.expiresAt <= at;
  const found: [ToldChange["what"][number], ToldChange["before"], boolean][] = [
    ["starts_at", { startsAt: before.startsAt }, after.startsAt !== before.startsAt],
    ["ends_at", { endsAt: before.endsAt }, after.endsAt !== before.endsAt],
    ["location", { location: placeOf(before) }, isElsewhere(before.location, after.location)],
    ["cancelled", {}, isCancelled(after) && !isCancelled(before)],
    ["ended", { expiresAt: before.expiresAt }, ends],
  ];
  const news = found.filter(([, , isNew]) => isNew);
  if (news.length === 0) return before.change;
  const what = [...new Set([...(before.change?.what ?? []), ...news.map(([name]) => name)])];
  const fields = Object.assign({}, ...news.map(([, field]) => field), before.change?.before);
  return { at, what, before: fields, series: ends ? seriesOf(before) : null };
}

/** A removal is news of a post that was shown and not over. */
export function moveByRemoval(post: StoredPost, now: number): ToldChange | null {
  if (post.state !== "active" || isOver(post, now)) return null;
  return { at: now, what: ["removed"], before: {}, series: seriesOf(post) };
}

/** Tells whether it is the first that tells that the post has ended: those who answered it hear that. */
export const isEnd = (move: ToldChange | null, before: ToldChange | null = null): boolean =>
  hasEnded(move) && !hasEnded(before);

const hasEnded = (move: ToldChange | null) =>
  move !== null && (move.what.includes("ended") || move.what.includes("removed"));

const isOver = (post: StoredPost, now: number) => post.expiresAt <= now || windowOf(post).windowEnd < now;

type Place = StoredPost["location"];

/** Another spelling of a name is no move, and neither are coordinates that are found for it. */
function isElsewhere(before: Place, after: Place): boolean {
  const nameOf = (place: Place) => plainWords(place?.name ?? "");
  if (nameOf(before) !== nameOf(after)) return true;
  if (before?.lat == null || after?.lat == null) return false;
  return before.lat !== after.lat || before.lng !== after.lng;
}

function placeOf({ location }: StoredPost): Pick<NonNullable<Place>, "name" | "lat" | "lng"> | null {
  if (location === null) return null;
  const { name, lat, lng } = location;
  return { name, lat, lng };
}

const isCancelled = ({ metadata }: StoredPost) => /^cancell?ed$/i.test(String(metadata["status"]));
