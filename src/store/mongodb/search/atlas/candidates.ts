import type { Document } from "mongodb";
import type { Question } from "../../../../ports/search-index.ts";
import type { Position } from "../../../../ports/store/index.ts";
import type { WordQuery } from "../../../../schema/filter.ts";
import { UNKNOWN_WORDS_MARGIN, type WordMatch } from "../../../../search/ranking/rank.ts";
import { cosineOf } from "../../../../search/ranking/vectors.ts";
import { says, speechOf, termsOf } from "../../../../search/standing/terms.ts";
import { PART_WEIGHT } from "../../../../search/text/compounds.ts";
import { onlyExcludes } from "../../../../search/text/query-text.ts";
import {
  clauseAfter,
  clausesOf,
  conditionAfter,
  conditionsOf,
  findConditionsOf,
  ORDERS,
} from "../filters.ts";
import type { AtlasQueries, FoundPost } from "./queries.ts";
import { clausesOfWords } from "./words.ts";

/** The collection is asked for a changed post for this long; mongot has it by then. */
const UNINDEXED_MS = 60_000;
/** At most this many posts of the collection are read for a question, those that changed last. */
const UNINDEXED_MAX = 1_000;
/** This many posts in a circle are compared one by one: `$vectorSearch` knows no places, and most neighbours lie elsewhere. */
const NEAR_MAX = 2_000;
const NEAR_FACTOR = 5;

interface Candidate extends WordMatch {
  id: string;
  /** The post or the query has no vector where this is null. */
  cosine: number | null;
  post: FoundPost;
  vector: Int8Array | null;
}

export interface Candidates {
  found: Candidate[];
  bestWords: number;
  /** Counts matches by words that were not fetched. */
  unread: number;
}

/** Names the part of a list that is wanted: in order, after a place. */
export interface ListBounds {
  order: keyof typeof ORDERS;
  after: Position | null;
}

/**
 * Finds what may answer a question: mongot names posts by words and by meaning, and the collection adds those that changed
 * a moment ago. All are read as the collection holds them now, and judged here by their own words and vectors.
 */
export async function candidatesFor(
  queries: AtlasQueries,
  question: Question,
  { limit, list }: { limit: number; list?: ListBounds },
): Promise<Candidates> {
  const { filter, vector, words } = question;
  const asked = distinctWords(words);
  const { clause, condition } = boundsOf(list);
  const compound = compoundOf(question, clause);
  const conditions = [...findConditionsOf(filter), ...condition];
  const near = filter.near !== null && vector !== null;
  const [byWords, neighbours, unindexed, { shares, known }] = await Promise.all([
    compound === null ? NONE : queries.words(compound, { limit, sort: sortOf(list) }),
    vector === null || needsWords(words)
      ? []
      : queries.neighbours(
          vector,
          [...conditionsOf(filter), ...condition],
          near ? NEAR_FACTOR * limit : limit,
        ),
    near
      ? queries.latest(conditions, NEAR_MAX)
      : queries.latest(
          [{ updated_at: { $gte: new Date(filter.now - UNINDEXED_MS) } }, ...conditions],
          UNINDEXED_MAX,
        ),
    queries.rarity(asked),
  ]);
  const there = new Set(unindexed.map(({ _id }) => _id));
  const others = new Set([...byWords.scores.keys(), ...neighbours].filter((id) => !there.has(id)));
  const posts = [...unindexed, ...(await queries.posts([...others], conditions))];
  return {
    ...judged(question, posts, {
      scores: byWords.scores,
      fresh: there,
      shares: new Map(asked.map((word, at) => [termsOf(word), shares[at] ?? 0])),
      known: known || (words?.publishers ?? []).length > 0,
      vectorOf: (post) => queries.vectorOf(post),
    }),
    unread: byWords.total - byWords.scores.size,
  };
}

const NONE = { scores: new Map<string, number>(), total: 0 };

/** Gives the words that score, each once. */
const distinctWords = (words: WordQuery | null): string[] =>
  words === null ? [] : [...new Set([...words.any, ...words.phrases.flat()])];

/** True when no post is found by its meaning alone. */
const needsWords = (words: WordQuery | null) => words !== null && words.phrases.length > 0;

/** Makes the `compound` of a search by words; null when it can find nothing, or nothing is asked of it. */
function compoundOf({ filter, words, vector }: Question, after: readonly Document[]): Document | null {
  const { must, mustNot } = clausesOfWords(words);
  const asksWords = words !== null && !onlyExcludes(words);
  if (asksWords ? must.length === 0 : vector !== null) return null;
  return { must, mustNot, filter: [...clausesOf(filter), ...after] };
}

function boundsOf(list: ListBounds | undefined): { clause: Document[]; condition: Document[] } {
  if (list === undefined || list.after === null) return { clause: [], condition: [] };
  const page = { order: list.order, after: list.after };
  return { clause: [clauseAfter(page)], condition: [conditionAfter(page)] };
}

function sortOf(list: ListBounds | undefined): Document | undefined {
  if (list === undefined) return undefined;
  const { path, direction } = ORDERS[list.order];
  return { [path]: direction, _id: direction };
}

/** Keeps the posts that answer a question. A post that mongot has not scored counts by the share of the query it has. */
function judged(
  { vector, words, minCosine, margin = UNKNOWN_WORDS_MARGIN }: Question,
  posts: readonly FoundPost[],
  asked: {
    scores: ReadonlyMap<string, number>;
    /** Lists posts that mongot may know in an older state. */
    fresh: ReadonlySet<string>;
    /** Shares are kept by their terms. */
    shares: ReadonlyMap<string, number>;
    known: boolean;
    vectorOf: (post: FoundPost) => Int8Array | null;
  },
): { found: Candidate[]; bestWords: number } {
  const terms = (phrases: WordQuery["phrases"] = []) => phrases.map((phrase) => termsOf(phrase.join(" ")));
  const [required, excluded] = [terms(words?.phrases), terms(words?.excluded)];
  const open = words === null ? vector === null : onlyExcludes(words) && vector === null;
  const compared = posts.map((post) => {
    const speech = words === null ? SILENCE : speechOf(textsOf(post));
    let coverage = words?.publishers?.includes(post.publisher_id) === true ? PART_WEIGHT : 0;
    for (const [term, share] of asked.shares) if (says(speech, term)) coverage += share;
    const own = asked.vectorOf(post);
    const cosine = vector === null || own === null ? null : cosineOf(vector, own);
    const fits = required.every((term) => says(speech, term)) && !excluded.some((term) => says(speech, term));
    return { id: post._id, post, vector: own, cosine, coverage, fits };
  });
  const floor =
    asked.known || asked.shares.size === 0 || compared.some(({ coverage }) => coverage > 0)
      ? minCosine
      : minCosine + margin;
  const best = Math.max(0, ...asked.scores.values()) || 1;
  const found: Candidate[] = [];
  let bestWords = 0;
  for (const { fits, ...one } of compared) {
    const isScored = asked.scores.has(one.id) && !asked.fresh.has(one.id);
    const hasWords = one.coverage > 0 || (asked.shares.size > 0 && isScored);
    const isNear = one.cosine !== null && one.cosine >= floor && required.length === 0;
    if (!fits || !(open || hasWords || isNear)) continue;
    const score = hasWords ? (asked.scores.get(one.id) ?? best * one.coverage) : 0;
    bestWords = Math.max(bestWords, score);
    found.push({ ...one, words: score });
  }
  return { found, bestWords };
}

const SILENCE = speechOf([]);

const textsOf = ({ title, body, tags, place }: FoundPost): string[] => [
  title,
  body,
  [...tags, place?.name ?? ""].join(" "),
];
