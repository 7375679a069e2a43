import type { Embedder } from "../../src/ports/embedder.ts";
import type { PostBackground } from "../../src/schema/subscription.ts";
import {
  FEATURES,
  type Features,
  featuresOf,
  judged,
  querySide,
} from "../../src/search/standing-rule/features.ts";
import {
  answers,
  type CosineMap,
  passesWords,
  postText,
  type StandingText,
  standingText,
} from "../../src/search/standing-rule/index.ts";
import { says } from "../../src/search/standing-rule/terms.ts";
import { cosineOf } from "../../src/search/vectors.ts";
import { type Collection, type Pair, type Query, vectorsOf } from "./pairs.ts";

/** A pair with everything the rule knows about it. */
export interface Row extends Pair {
  /** What the weights are made from. */
  x: number[];
  /** What a pair is judged by. */
  judgedX: number[];
  cosine: number;
  /** Every word occurs. */
  byWords: boolean;
}

/** A collection as the rule sees it: pairs that pass the filters or are labelled. */
export interface Judged {
  collection: Collection;
  rows: Row[];
  vectors: ReadonlyMap<string, Int8Array>;
  /** By query, as a board that holds all posts would have counted it. */
  backgrounds: ReadonlyMap<Query, PostBackground>;
}

export async function judgedOf(collection: Collection, embedder: Embedder): Promise<Judged> {
  const vectors = await vectorsOf([collection], embedder);
  const vectorOf = (id: string) => vectors.get(id) ?? new Int8Array(embedder.dimension);
  const texts = new Map(collection.posts.map((post) => [post, postText(post)] as const));
  const textOf = (post: Pair["post"]) => texts.get(post) ?? postText(post);
  const standing = standingOf(collection, vectors, new Map());
  const passing = collection.pairs.map((pair) => {
    const query = standing.get(pair.query);
    return { ...pair, passes: pair.passes && query !== undefined && passesWords(query, textOf(pair.post)) };
  });
  const backgrounds = backgroundsOf(collection, passing, vectorOf);
  const sides = new Map(
    collection.queries.map((query) => [
      query,
      querySide({ ...query, background: backgrounds.get(query) ?? null }),
    ]),
  );
  const rows = passing.flatMap((pair): Row[] => {
    const side = sides.get(pair.query);
    if (side === undefined || (!pair.passes && !pair.labelled)) return [];
    const text = textOf(pair.post);
    const cosine = cosineOf(vectorOf(pair.query.id), vectorOf(pair.post.id));
    const features = featuresOf(side, text, cosine);
    const byWords = side.words.length > 0 && side.words.every((word) => says(text.speech, word));
    const numbers = (of: Features) => FEATURES.map((name) => of[name]);
    return [{ ...pair, cosine, byWords, x: numbers(features), judgedX: numbers(judged(features)) }];
  });
  return { collection, rows, vectors, backgrounds };
}

/** The deployed rule's side of each query. */
export function standingOf(
  { queries }: Collection,
  vectors: ReadonlyMap<string, Int8Array>,
  backgrounds: ReadonlyMap<Query, PostBackground>,
  map?: CosineMap,
): Map<Query, StandingText> {
  return new Map(
    queries.map((query) => {
      const [vector, background] = [vectors.get(query.id) ?? null, backgrounds.get(query) ?? null];
      return [query, standingText({ ...query, vector, background, ...(map && { map }) })];
    }),
  );
}

/**
 * The rows that the deployed rule says yes to.
 * @param map  for the vectors of another model
 */
export function deployedYes(
  { collection, rows, vectors }: Judged,
  backgrounds: ReadonlyMap<Query, PostBackground>,
  map?: CosineMap,
): Set<Row> {
  const standing = standingOf(collection, vectors, backgrounds, map);
  const texts = new Map(collection.posts.map((post) => [post, postText(post)] as const));
  return new Set(
    rows.filter((row) => {
      const [query, post] = [standing.get(row.query), texts.get(row.post)];
      return query !== undefined && post !== undefined && answers(query, post, row.cosine);
    }),
  );
}

function backgroundsOf(
  { queries, posts }: Collection,
  pairs: readonly Pair[],
  vectorOf: (id: string) => Int8Array,
): Map<Query, PostBackground> {
  const cosines = new Map(queries.map((query) => [query, [] as number[]]));
  for (const { query, post, passes } of pairs) {
    if (passes) cosines.get(query)?.push(cosineOf(vectorOf(query.id), vectorOf(post.id)));
  }
  return new Map(
    [...cosines].map(([query, all]) => {
      const sum = all.reduce((total, cosine) => total + cosine, 0);
      const passing = all.length;
      return [
        query,
        { posts: posts.length, passing, compared: passing, meanCosine: sum / Math.max(1, passing) },
      ];
    }),
  );
}
