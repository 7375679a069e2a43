import { readData } from "../../data/read.ts";
import type { PostBackground } from "../../schema/subscription.ts";
import type { PostParts } from "../../schema/text.ts";
import type { QueryText } from "../query-text.ts";
import { plainSpelling } from "../tokens.ts";
import { type Speech, says, speechOf, termsOf } from "./terms.ts";

/** What the rule reads of a pair, in the order of its weights; see docs/matching.md for what each is good for. */
export const FEATURES = ["cosine", "sharedWords", "kindAsked", "passing", "level"] as const;
export type Features = Readonly<Record<(typeof FEATURES)[number], number>>;

/** Sharing half of the words is as suspicious as it gets; sharing all of them answers by words. */
const SHARE_MAX = 0.5;
/**
 * From this cosine on, shared words are no longer suspicious: "used road bike" and "Road bike, Shimano 105" have 0.55.
 */
const NEAR_COSINE = 0.55;

/** What the rule keeps of a saved query: a dozen short strings and numbers, about 530 bytes. */
export interface QuerySide {
  /** Each as terms with blanks between them, as `says` takes them. */
  words: readonly string[];
  /** The words as others write them: all of these do as well. Empty where there is no other way. */
  respelt: readonly string[];
  phrases: readonly string[];
  excluded: readonly string[];
  /** Kinds whose posts would answer, by the query's words; empty when kinds are given as a filter. */
  asked: readonly string[];
  /** Natural logarithm of how many posts pass the filters: the more there are, the fewer of them answer. */
  passing: number;
  /** Mean cosine with them. */
  level: number;
}

/** What the rule reads of a post, made once for all queries. */
export interface PostText {
  kind: string;
  speech: Speech;
}

/** @param query.background  null before it was counted */
export function querySide(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  background: PostBackground | null;
}): QuerySide {
  const { text, kinds, background } = query;
  return {
    words: [...new Set(text.any.map(termsOf))],
    respelt: [...new Set(text.respelt?.map(termsOf))],
    phrases: text.phrases.map((words) => termsOf(words.join(" "))),
    excluded: text.excluded.map((words) => termsOf(words.join(" "))),
    asked: kinds === null ? askedKinds(text.plain) : [],
    passing: Math.log(passingOf(background, query)),
    level: levelOf(background),
  };
}

/** The parts of a post that the rule reads. */
export interface PostTexts extends PostParts {
  kind: string;
}

export function postText({ kind, title, body, tags, placeName }: PostTexts): PostText {
  // Tags and place are one text, as in the index's tables.
  return { kind, speech: speechOf([title, body, [...tags, placeName ?? ""].join(" ")]) };
}

/** Everything the weights are multiplied by. */
export function featuresOf(query: QuerySide, post: PostText, cosine: number): Features {
  const { words, asked } = query;
  const shared =
    words.length === 0 ? 0 : words.filter((word) => says(post.speech, word)).length / words.length;
  return {
    cosine,
    sharedWords: Math.min(shared, SHARE_MAX),
    kindAsked: Number(asked.includes(post.kind)),
    passing: query.passing,
    level: query.level,
  };
}

/**
 * The features a pair is judged by. The weights are fitted without this step: the hard matches of the labelled set were
 * worded differently on purpose and would spend the discount elsewhere.
 */
export function judged(features: Features): Features {
  return features.cosine >= NEAR_COSINE ? { ...features, sharedWords: 0 } : features;
}

/** The features of the post that needs the lowest cosine of all: worded differently, of the kind asked for. */
export function bestCase(query: QuerySide, post: Pick<PostText, "kind"> | null): Features {
  return {
    cosine: 0,
    sharedWords: 0,
    kindAsked: post === null ? Number(query.asked.length > 0) : Number(query.asked.includes(post.kind)),
    passing: query.passing,
    level: query.level,
  };
}

/**
 * Words of a query that say which kind of post would answer it, whatever it is about. Each is a whole word or phrase
 * without accents; a final `*` takes any ending.
 */
const [WORDS = {}] = readData<Readonly<Record<string, readonly string[]>>>("asked-kinds.json");
const PATTERNS = Object.entries(WORDS).map(
  ([kind, words]) => [kind, new RegExp(`\\b(?:${words.join("|").replaceAll("*", "\\w*")})\\b`)] as const,
);

/** Kinds of post that would answer a query, by its words. */
function askedKinds(text: string): string[] {
  const plain = plainSpelling(text);
  return PATTERNS.filter(([, pattern]) => pattern.test(plain)).map(([kind]) => kind);
}

/** What decides how many posts pass before a board has any. */
interface Narrowing {
  hasPlace: boolean;
  kinds: readonly string[] | null;
}

/** Below this many posts a board's share of passing ones counts as if there were this many: the sets have 260 and more. */
const FEW_POSTS = 200;
/** A count speaks for `passing` within these bounds, about those of the labelled sets. */
const PASSING = { min: 3, max: 1000 } as const;
/** A board counts as if it also had this many posts of the labelled sets. */
const PRIOR = { posts: 20, meanCosine: 0.15, shareNearPlace: 0.06, kinds: 5 } as const;

/** How many posts a query has to choose from: those that pass its filters, or would on a board of 200 posts. */
function passingOf(background: PostBackground | null, { hasPlace, kinds }: Narrowing): number {
  const { posts, passing } = background ?? NO_POSTS;
  const usual = (hasPlace ? PRIOR.shareNearPlace : 1) * ((kinds?.length ?? PRIOR.kinds) / PRIOR.kinds);
  const share = (passing + PRIOR.posts * usual) / (posts + PRIOR.posts);
  const expected = passing + Math.max(0, FEW_POSTS - posts) * share;
  return Math.min(PASSING.max, Math.max(PASSING.min, expected));
}

/** Mean cosine of a query with the posts that pass its filters, drawn towards that of the labelled sets by few posts. */
function levelOf(background: PostBackground | null): number {
  const { compared, meanCosine } = background ?? NO_POSTS;
  return (compared * meanCosine + PRIOR.posts * PRIOR.meanCosine) / (compared + PRIOR.posts);
}

const NO_POSTS: PostBackground = { posts: 0, passing: 0, compared: 0, meanCosine: 0 };
