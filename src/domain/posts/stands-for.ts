import { windowOf } from "../../ports/index-entry.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { PostStore, StoredPost } from "../../ports/store/index.ts";
import type { PostFilter } from "../../schema/filter.ts";
import { COPIES_NAMED, DATES_NAMED, type Post } from "../../schema/post.ts";
import type { GonePost } from "../../schema/subscription.ts";
import { isoTime } from "../resources.ts";
import { filterOf } from "../search/query.ts";

/** Tells whether a post that was told of is there, and not only its id left. */
export const isWhole = <Shown extends Post>(post: Shown | GonePost | undefined): post is Shown =>
  post !== undefined && "title" in post;

/** Adds to posts the copies that each stands for in the answer to a question. */
export async function withCopies(
  index: SearchIndex,
  posts: readonly Post[],
  question: Question,
): Promise<Post[]> {
  const ids = posts.filter(({ source_url }) => source_url !== null).map(({ id }) => id);
  const found = ids.length === 0 ? [] : await index.ask("copies", question, ids);
  const copies = new Map(ids.map((id, at) => [id, found[at] ?? []]));
  return posts.map((post) => {
    const others = copies.get(post.id) ?? [];
    if (others.length === 0) return post;
    return { ...post, copies: { count: others.length, ids: others.slice(0, COPIES_NAMED) } };
  });
}

/** Adds to the posts of a series its later dates (`also_on`), as far as these pass the filter and are not over. */
export async function withDates<Shown extends Post>(
  index: SearchIndex,
  posts: readonly Shown[],
  filter: PostFilter,
): Promise<Shown[]> {
  const dated = posts.filter(({ starts_at }) => starts_at !== null);
  const later = await laterDates(index, dated, filter);
  return posts.map((post) => {
    const starts = (later.get(post.id) ?? []).map(({ at }) => isoTime(at));
    if (starts.length === 0) return post;
    const named = starts.slice(0, DATES_NAMED);
    return { ...post, also_on: { starts_at: named, more: starts.length - named.length } };
  });
}

/** Puts the next date of its series in the place of a post that is over. */
export async function nextDates(
  { index, posts }: { index: SearchIndex; posts: Pick<PostStore, "many"> },
  told: readonly StoredPost[],
  now: number,
): Promise<StoredPost[]> {
  const over = told.filter((post) => post.startsAt !== null && windowOf(post).windowEnd < now);
  const later = await laterDates(index, over, filterOf({}, now));
  const ids = over.flatMap(({ id }) => later.get(id)?.[0]?.id ?? []);
  const next = new Map((ids.length === 0 ? [] : await posts.many(ids)).map((post) => [post.id, post]));
  return told.map((post) => next.get(later.get(post.id)?.[0]?.id ?? "") ?? post);
}

/** Finds the dates behind each of some posts that pass the filter and are not over, by the id of the post. */
async function laterDates(index: SearchIndex, posts: readonly { id: string }[], filter: PostFilter) {
  const ids = posts.map(({ id }) => id);
  const after = Math.max(filter.after ?? 0, filter.now);
  const found = ids.length === 0 ? [] : await index.ask("laterDates", { ...filter, after }, ids);
  return new Map(ids.map((id, at) => [id, found[at] ?? []]));
}
