import { type CosineScale, type Embedder, REFERENCE_SCALE } from "../../ports/embedder.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { Lift, PostFilter } from "../../schema/filter.ts";
import type { Post } from "../../schema/post.ts";
import type { SearchQuery, Sort } from "../../schema/query.ts";
import { cosineOf } from "../../search/ranking/vectors.ts";
import { answers, type CosineMap, PostText, standingText } from "../../search/standing/index.ts";
import type { QueryText } from "../../search/text/query-text.ts";

export interface FoundPost {
  id: string;
  /** It lies in 0…1, or is null where nothing is ranked. */
  relevance: number | null;
  /** Neither words nor meaning support it well. */
  weak?: true;
}

/** Tells whether anything but words narrows the search. */
export const isFiltered = ({ kind = [], tags = [], near, after, before }: SearchQuery): boolean =>
  kind.length + tags.length > 0 || near !== undefined || after !== undefined || before !== undefined;

export const withoutText = <Asked extends Question>(question: Asked): Asked => ({
  ...question,
  words: null,
  vector: null,
});

/** Matches that fill a page: with fewer, weak results follow. */
export const FULL_PAGE = 10;

/**
 * Finds the nearest of the posts that do not match, behind those that do, up to ten on a page. They are no matches: right
 * answers have cosines as low as noise, so a short page may hold them, but nobody is notified of them and none is counted.
 * None without a vector, and none beside quoted phrases, which must occur.
 */
export async function weakResults(
  index: SearchIndex,
  { question, lifts }: { question: Question; lifts: readonly Lift[] },
  found: readonly FoundPost[],
  most: number,
): Promise<FoundPost[]> {
  const missing = most - found.length;
  const { words, vector } = question;
  if (missing <= 0 || vector === null || (words?.phrases.length ?? 0) > 0) return [];
  const excluded = words?.excluded ?? [];
  const nearest = {
    ...question,
    words: excluded.length === 0 ? null : { any: [], phrases: [], excluded },
    minCosine: -1,
  };
  const except = new Set(found.map(({ id }) => id));
  const ranked = await index.ask("rank", nearest, { limit: missing, except, lifts });
  const highest = found.at(-1)?.relevance ?? 1;
  return ranked.map(({ id, relevance }) => ({ id, relevance: Math.min(relevance, highest), weak: true }));
}

/**
 * Adds the other posts that fit the filters of a list by time, in its order and marked as weak. It adds none beside quoted
 * phrases or excluded words, which a post must or must not hold.
 * @param fitting  how many posts fit the filters; 0 asks for none
 */
export async function othersByTime(
  index: SearchIndex,
  { question, sort }: { question: Question & { filter: PostFilter }; sort: Sort },
  found: readonly FoundPost[],
  fitting: number,
): Promise<FoundPost[]> {
  const { phrases = [], excluded = [] } = question.words ?? {};
  if (fitting <= found.length || sort === "relevance" || phrases.length + excluded.length > 0) return [];
  const listed = await index.ask("list", withoutText(question), { order: sort, after: null, limit: fitting });
  const known = new Set(found.map(({ id }) => id));
  return listed.filter(({ id }) => !known.has(id)).map(({ id }) => ({ id, relevance: null, weak: true }));
}

/**
 * Gives the posts of a page by relevance, with those marked as weak that follow the last one that answers as a saved query
 * is answered: they are near in meaning only, or have a word or two of many. Order and number stay.
 * @param subject  the words asked for, without those of place and time
 * @param vectors  by the ids of posts
 */
export function withWeakEnd(
  embedder: Embedder,
  { question, subject }: { question: Question & { words: QueryText | null }; subject: readonly string[] },
  posts: readonly Post[],
  vectors: ReadonlyMap<string, Int8Array | null>,
): Post[] {
  const { words, vector, filter } = question;
  if (words === null || vector === null || posts.length === 0) return [...posts];
  const standing = standingText({
    text: { ...words, any: subject.length === 0 ? words.any : subject },
    kinds: filter.kinds,
    hasPlace: filter.near !== null,
    vector,
    background: null,
    // On three sets of labelled notices this marks half of the wrong ones on first pages, and one right one in twenty; a close
    // query's cut marks three of ten right ones.
    breadth: "wide",
    map: toReference(embedder.scale),
  });
  const last = posts.findLastIndex((post) => {
    const other = vectors.get(post.id) ?? null;
    const text = new PostText({ ...post, placeName: post.location?.name ?? null });
    // A post whose vector is not there yet is held by its words.
    return post.weak !== true && (other === null || answers(standing, text, cosineOf(vector, other)));
  });
  return posts.map((post, at) => (at > last ? { ...post, weak: true } : post));
}

/** Turns a model's cosines into those of the reference: both quantiles of unrelated texts fall together. */
export function toReference({ unrelated }: Pick<CosineScale, "unrelated">): CosineMap {
  const { median, high } = REFERENCE_SCALE.unrelated;
  const slope = (high - median) / (unrelated.high - unrelated.median);
  return { offset: median - slope * unrelated.median, slope };
}
