import type { Breadth, PostBackground } from "../../schema/subscription.ts";
import type { PostParts } from "../../schema/text.ts";
import { amountsIn, breaksPrice, withoutDenied } from "../text/asked-bounds.ts";
import type { QueryText } from "../text/query-text.ts";
import { RULE } from "./rule.ts";
import { mentions, type Speech, says, speechOf, termsOf } from "./terms.ts";

/** Turns the cosines of another model into those of the model that the rule was made for: offset + slope · cosine. */
export interface CosineMap {
  offset: number;
  /** The slope is above 0. */
  slope: number;
}
const SAME: CosineMap = { offset: 0, slope: 1 };

/** Unrelated texts have such a cosine: below it meaning answers nothing, however few posts pass the filters. */
const LOWEST_COSINE = 0.15;
/** Stands for that of a match by words whose vector is not there yet. */
const COSINE_BY_WORDS = 0.5;

/** The rule keeps this of a saved query: small, made once when the query is saved. */
export interface StandingText {
  /** Each as terms with blanks between them, as `says` takes them. */
  words: readonly string[];
  /** These are the words as others write them: all of these do as well. Empty where there is no other way. */
  respelt: readonly string[];
  phrases: readonly string[];
  excluded: readonly string[];
  bounds: QueryText["bounds"];
  /** Cosine and words have to reach this together; Infinity without a vector. */
  cut: number;
  /** The map is for cosines as the model of the vectors has them. */
  map: CosineMap;
}

/** Makes what the rule reads of a post, each part when it is first read: most queries read few of them. */
export class PostText {
  readonly #parts: PostParts;
  #speech: Speech | undefined;
  #head: Speech | undefined;
  #amounts: ReturnType<typeof amountsIn> | undefined;

  constructor(parts: PostParts) {
    this.#parts = parts;
  }

  get title(): string {
    return this.#parts.title;
  }

  get speech(): Speech {
    const { title, body, tags, placeName } = this.#parts;
    // Tags and place are one text, as in the index's tables.
    this.#speech ??= speechOf([title, body, [...tags, placeName ?? ""].join(" ")]);
    return this.#speech;
  }

  /** Joins title and tags. */
  get head(): Speech {
    this.#head ??= speechOf([this.#parts.title, ...this.#parts.tags]);
    return this.#head;
  }

  /** Finds the amounts of money that it names. */
  get amounts(): ReturnType<typeof amountsIn> {
    const { title, body, tags } = this.#parts;
    this.#amounts ??= amountsIn(`${title}\n${body}\n${tags.join(" ")}`);
    return this.#amounts;
  }
}

/**
 * Prepares a saved query for comparison with posts.
 *
 * @param query.kinds  the filter, or null when any kind will do
 * @param query.vector  of `text.plain`, as `quantize` gives it; null without a model: only words decide then
 * @param query.background  what the board's posts are to the query, null before they were counted
 * @param query.map  for vectors of a model that the rule was not made for
 */
export function standingText(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  vector: Int8Array | null;
  background: PostBackground | null;
  breadth?: Breadth;
  map?: CosineMap;
}): StandingText {
  const { text, vector, breadth = "close", map = SAME } = query;
  return {
    words: [...new Set(text.any.map(termsOf))],
    respelt: [...new Set(text.respelt?.map(termsOf))],
    phrases: text.phrases.map((words) => termsOf(words.join(" "))),
    excluded: text.excluded.map((words) => termsOf(words.join(" "))),
    bounds: text.bounds,
    cut:
      vector === null
        ? Number.POSITIVE_INFINITY
        : RULE.cut[breadth] + RULE.doubling * Math.log2(passingOf(query) / RULE.passing.usual),
    map,
  };
}

/**
 * Checks what is a filter: every phrase occurs, no excluded word or phrase does, no price that the post names breaks the
 * bound, and its title has nothing that is not wanted.
 */
export function passesWords({ phrases, excluded, bounds }: StandingText, post: PostText): boolean {
  return (
    !excluded.some((terms) => says(post.speech, terms)) &&
    phrases.every((terms) => says(post.speech, terms)) &&
    (bounds.price === null || !breaksPrice(bounds.price, post.amounts)) &&
    !holdsUnwanted(bounds.unwanted, post.title)
  );
}

/** Tells whether a text has what a query does not want, all words of one, and does not say itself that it is not there. */
export function holdsUnwanted(unwanted: QueryText["bounds"]["unwanted"], text: string): boolean {
  if (unwanted.length === 0) return false;
  const { single } = speechOf([withoutDenied(text)]);
  return unwanted.some(({ words }) =>
    words.every((word) =>
      termsOf(word)
        .split(" ")
        .every((term) => single.has(term)),
    ),
  );
}

/** Gives the cosine, as the model of the vectors has it, below which no post answers by meaning. */
export function floorOf({ cut, map }: StandingText): number {
  // The bound is a hair lower, since the sum is added up in another order elsewhere.
  return (Math.max(LOWEST_COSINE, cut - RULE.head) - 1e-9 - map.offset) / map.slope;
}

/**
 * Tells whether a post that passes the filters answers a saved query: all its words occur, or its cosine and the words that
 * occur in title or tags reach the cut. Neither a higher cosine nor a word more turns a yes into a no. See
 * docs/matching.md.
 *
 * @param cosine  of the post's vector and the query's, or null when one is missing
 */
export function answers(standing: StandingText, post: PostText, cosine: number | null): boolean {
  if (!passesWords(standing, post)) return false;
  const { words, phrases, excluded, cut, map } = standing;
  // Only phrases or exclusions: they have decided. A text without any word asks for nothing that could be found.
  if (words.length === 0) return phrases.length > 0 || excluded.length > 0;
  const near = cosine === null ? 0 : map.offset + map.slope * cosine;
  if (near >= LOWEST_COSINE && scoreOf(near, headOf(standing, post)) >= cut) return true;
  return hasAllWords(standing, post);
}

/**
 * Tells how well a post answers a saved query that it is a match of.
 * @param cosine  as for `answers`
 * @returns 0…1, three decimals; 1 for a query without words
 */
export function closeness(standing: StandingText, post: PostText, cosine: number | null): number {
  if (standing.words.length === 0) return 1;
  const { offset, slope } = standing.map;
  const near = cosine === null ? COSINE_BY_WORDS : offset + slope * cosine;
  return Number(Math.min(1, Math.max(0, scoreOf(near, headOf(standing, post)))).toFixed(3));
}

const scoreOf = (near: number, head: number) => near + RULE.head * head;

export function hasAllWords({ words, respelt }: StandingText, { speech }: PostText): boolean {
  const areSaid = (some: readonly string[]) => some.every((word) => mentions(speech, word));
  return areSaid(words) || (respelt.length > 0 && areSaid(respelt));
}

/**
 * Gives the share of a query's words, at least one, that title and tags have, in the spelling that has more of them. In a
 * body many a word stands by the way.
 */
export function headOf({ words, respelt }: StandingText, { head }: PostText): number {
  const share = saidOf(words, head);
  return respelt.length === 0 || share === 1 ? share : Math.max(share, saidOf(respelt, head));
}

function saidOf(words: readonly string[], speech: Speech): number {
  let said = 0;
  for (const word of words) if (mentions(speech, word)) said += 1;
  return said / words.length;
}

/** Below this many posts a board's share of passing ones counts as if there were this many: the sets have 260 and more. */
const FEW_POSTS = 200;
/** A board counts as if it also had this many posts, of which the usual share passes a place, and a kind. */
const PRIOR = { posts: 20, shareNearPlace: 0.06, kinds: 5 } as const;

/** Tells how many posts a query has to choose from, within bounds: those that pass its filters, or would on a board of 200. */
export function passingOf(query: {
  kinds: readonly string[] | null;
  hasPlace: boolean;
  background: PostBackground | null;
}): number {
  const { kinds, hasPlace, background } = query;
  const { posts, passing } = background ?? { posts: 0, passing: 0 };
  const usual = (hasPlace ? PRIOR.shareNearPlace : 1) * ((kinds?.length ?? PRIOR.kinds) / PRIOR.kinds);
  const share = (passing + PRIOR.posts * usual) / (posts + PRIOR.posts);
  const expected = passing + Math.max(0, FEW_POSTS - posts) * share;
  return Math.min(RULE.passing.most, Math.max(RULE.passing.fewest, expected));
}
