import { seriesOf } from "../../../../ports/index-entry.ts";
import type { Position } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { type PostDocument, timeOf } from "../../database/schema/documents.ts";
import { findConditionsOf } from "../filters.ts";
import { type AtlasQueries, DATED } from "./queries.ts";

type Dated = Pick<PostDocument, "_id" | keyof typeof DATED>;

/** Finds the posts for which another date of their series stands: the next, or the last where all are over. */
export function datesBeside(posts: readonly Dated[], now: number): Set<string> {
  const next = new Map<string, Dated>();
  for (const post of posts) {
    const series = keyOf(post);
    const best = series === null ? undefined : next.get(series);
    if (series !== null && (best === undefined || isSooner(post, best, now))) next.set(series, post);
  }
  const others = posts.filter((post) => (next.get(keyOf(post) ?? "") ?? post) !== post);
  return new Set(others.map(({ _id }) => _id));
}

/** See `Answered.laterDates`. */
export async function laterDates(
  queries: AtlasQueries,
  filter: PostFilter,
  ids: readonly string[],
): Promise<Position[][]> {
  const own: Dated[] = await queries.posts(ids, [{ starts_at: { $type: "date" } }], DATED);
  const titles = own.map(({ publisher_id, title }) => ({ publisher_id, title }));
  const conditions = [{ $or: titles }, { starts_at: { $type: "date" } }, ...findConditionsOf(filter)];
  const all: Dated[] = titles.length === 0 ? [] : await queries.found(conditions, { projection: DATED });
  const byId = new Map(own.map((post) => [post._id, post]));
  return ids.map((id) => {
    const post = byId.get(id);
    const series = post === undefined ? null : keyOf(post);
    if (post === undefined || series === null) return [];
    return all
      .filter((other) => other._id !== id && keyOf(other) === series && inOrder(other, post) > 0)
      .sort(inOrder)
      .map(({ _id, win_start }) => ({ id: _id, at: win_start.getTime() }));
  });
}

const keyOf = ({ publisher_id, title, link, source_url, place, starts_at, parent_id }: Dated) =>
  seriesOf({
    publisherId: publisher_id,
    title,
    link,
    sourceUrl: source_url,
    location: place ?? null,
    startsAt: timeOf(starts_at),
    parentId: parent_id,
  });

const inOrder = (a: Dated, b: Dated) =>
  a.win_start.getTime() - b.win_start.getTime() || (a._id < b._id ? -1 : 1);

function isSooner(a: Dated, b: Dated, now: number): boolean {
  const isOver = ({ win_end }: Dated) => win_end.getTime() < now;
  if (isOver(a) !== isOver(b)) return isOver(b);
  return isOver(a) ? inOrder(a, b) > 0 : inOrder(a, b) < 0;
}
