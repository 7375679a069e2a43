import type { Embedder } from "../../src/ports/embedder.ts";
import type { Breadth, PostBackground } from "../../src/schema/subscription.ts";
import { cosineOf } from "../../src/search/ranking/vectors.ts";
import {
  answers,
  type CosineMap,
  hasAllWords,
  headOf,
  PostText,
  passesWords,
  passingOf,
  type StandingText,
  standingText,
} from "../../src/search/standing/index.ts";
import { RULE } from "../../src/search/standing/rule.ts";
import { type Collection, type Pair, type Query, vectorsOf } from "./pairs.ts";

/** A pair that passes the filters or is labelled, with what the rule knows about it. */
export interface Row extends Pair {
  cosine: number;
  hasAllWords: boolean;
  /** Title and tags have this share of the query's words. */
  head: number;
  /** The posts that pass the filters double the usual number this many times. */
  doublings: number;
  /** The rule of the repository says this. */
  deployed: Record<Breadth, boolean>;
}

/** @param map  for the vectors of another model */
export async function rowsOf(collection: Collection, embedder: Embedder, map?: CosineMap): Promise<Row[]> {
  const vectors = await vectorsOf([collection], embedder);
  const vectorOf = (id: string) => vectors.get(id) ?? new Int8Array(embedder.dimension);
  const standing = (query: Query, background: PostBackground | null, breadth: Breadth) =>
    standingText({ ...query, vector: vectorOf(query.id), background, breadth, ...(map && { map }) });
  const early = new Map(collection.queries.map((query) => [query, standing(query, null, "close")]));
  const texts = new Map(collection.posts.map((post) => [post, new PostText(post)]));
  const textOf = (post: Pair["post"]) => texts.get(post) as PostText;
  const pairs = collection.pairs.map((pair) => {
    const passes = pair.passes && passesWords(early.get(pair.query) as StandingText, textOf(pair.post));
    return { ...pair, passes };
  });
  const counted = new Map(
    collection.queries.map((query) => {
      const passing = pairs.filter((pair) => pair.query === query && pair.passes).length;
      const background = { posts: collection.posts.length, passing };
      const doublings = Math.log2(passingOf({ ...query, background }) / RULE.passing.usual);
      const [close, wide] = [standing(query, background, "close"), standing(query, background, "wide")];
      return [query, { doublings, close, wide }] as const;
    }),
  );
  return pairs.flatMap((pair): Row[] => {
    const query = counted.get(pair.query);
    if (query === undefined || (!pair.passes && !pair.labelled)) return [];
    const { doublings, close, wide } = query;
    const text = textOf(pair.post);
    const cosine = cosineOf(vectorOf(pair.query.id), vectorOf(pair.post.id));
    const says = (rule: StandingText) => pair.passes && answers(rule, text, cosine);
    const deployed = { close: says(close), wide: says(wide) };
    const words =
      close.words.length === 0
        ? { hasAllWords: deployed.close, head: 0 }
        : { hasAllWords: hasAllWords(close, text), head: headOf(close, text) };
    return [{ ...pair, ...words, cosine, doublings, deployed }];
  });
}
