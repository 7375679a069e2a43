import { stemmer } from "stemmer";
import type { Learning } from "../../schema/subscription.ts";
import { ENGLISH_STOP_WORDS } from "../stop-words.ts";
import { dequantize, quantize } from "../vectors.ts";
import { isFunctionWord } from "./cues.ts";
import type { PostText } from "./features.ts";

/** A post that the owner of a saved query judged. */
export interface JudgedPost {
  text: PostText;
  /** Under the query's model, or null. */
  vector: Int8Array | null;
  /** What the rule alone says, in logits; a post that answers by its words counts as a yes. */
  evidence: number;
  relevant: boolean;
}

/** A post that passes the query's filters, judged or not: what the owner's words stand out from. */
export type PostAround = Pick<JudgedPost, "text" | "vector">;

/**
 * How far one word of the owner may move a post's evidence, as variances in logits: of a post in the very same direction
 * from the query (a length of 1), and of a post with the very same words. Chosen in folds over themes (docs/matching.md).
 */
const SPREAD = { direction: 6, words: 6 } as const;
/** Bounds on what can be learnt, in logits; a cosine higher by 0.1 is worth 1.4. */
const BOUNDS = { cut: 3, direction: 6, words: 3 } as const;
/** Stems with a weight; those with the least are dropped. */
const WORDS_KEPT = 64;
const ROUNDS = 30;
/** Posts without any of the words, counted beside the known ones: among a handful no word is rare. */
const BESIDE = 20;

/**
 * Learns from an owner's words: the most likely change of the rule for this query, given that small changes are likelier
 * than large ones (logistic regression with a Gaussian prior around the rule, in its dual form: a Gaussian process with
 * a linear kernel; Rasmussen and Williams, 2006, chapter 3).
 *
 * @param vector  of the query, or null
 * @param own  stems of the query's own words, which say nothing about what it does not want
 */
export function learnt(
  vector: Int8Array | null,
  own: ReadonlySet<string>,
  posts: readonly JudgedPost[],
  around: readonly PostAround[],
): Omit<Learning, "judged" | "meaningToo"> {
  const middle = middleOf(around);
  const rarity = rarityAmong([...around, ...posts]);
  const sides = posts.map((post) => asideFrom(vector, post.vector, middle));
  const words = posts.map(({ text }) => tellingStems(text).filter((stem) => !own.has(stem)));
  const pulls = pullsOf(posts, (i, j) => {
    const ofSides = products(sides[i] ?? null, sides[j] ?? null);
    const ofWords = inCommon(words[i] ?? [], words[j] ?? [], rarity);
    return SPREAD.direction * ofSides + SPREAD.words * ofWords;
  });
  const weights = new Map<string, number>();
  for (const [i, stems] of words.entries()) {
    const each = (SPREAD.words * (pulls[i] ?? 0)) / Math.sqrt(Math.max(1, stems.length));
    for (const stem of stems) weights.set(stem, (weights.get(stem) ?? 0) + each * rarity(stem));
  }
  const strongest = [...weights].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)).slice(0, WORDS_KEPT);
  const direction = directionOf(sides, pulls);
  // The direction counts from the middle of the posts around, not from zero.
  const inMiddle = direction === null ? 0 : direction.weight * products(sideOf(direction), middle);
  return {
    direction,
    cut: within(BOUNDS.cut, -inMiddle),
    words: Object.fromEntries(strongest.map(([stem, weight]) => [hashOf(stem), rounded(weight)])),
  };
}

/** The query's vector and what was learnt, as one unit vector and the evidence of a cosine of 1 with it. */
export function movedVector(
  vector: Int8Array,
  { direction }: Pick<Learning, "direction">,
  slope: number,
): { vector: Int8Array; slope: number } {
  if (direction === null) return { vector, slope };
  const aside = sideOf(direction);
  const sum = dequantize(vector).map((v, i) => slope * v + direction.weight * (aside[i] ?? 0));
  const length = Math.hypot(...sum);
  return { vector: quantize(sum.map((v) => v / length)), slope: length };
}

const sideOf = ({ vector }: { vector: string }) => dequantize(new Int8Array(Buffer.from(vector, "base64")));

/** What a post's words add, within three logits. */
export function wordsAdd({ words }: Pick<Learning, "words">, text: PostText): number {
  const stems = tellingStems(text);
  const sum = stems.reduce((total, stem) => total + (words[hashOf(stem)] ?? 0), 0);
  return within(BOUNDS.words, sum / Math.sqrt(Math.max(1, stems.length)));
}

/** At least as much as the words of any post add. */
export function wordsAddAtMost({ words }: Pick<Learning, "words">): number {
  const sum = Object.values(words).reduce((total, weight) => total + Math.max(0, weight), 0);
  return Math.min(BOUNDS.words, sum);
}

/**
 * A sentence about what was learnt.
 * @param slope  evidence of a cosine of 1 before it learnt, in logits
 */
export function describeLearning(learning: Learning, slope: number): string {
  const { judged, direction, cut, words, meaningToo } = learning;
  const wrong = judged.filter(({ relevant }) => !relevant).length;
  const degrees = Math.round((Math.atan((direction?.weight ?? 0) / slope) * 180) / Math.PI);
  const higher = -cut / slope;
  return [
    `learnt from your word on ${judged.length} ${judged.length === 1 ? "post" : "posts"} (${wrong} not relevant)`,
    `cut ${Math.abs(higher).toFixed(3)} ${higher < 0 ? "lower" : "higher"}`,
    `meaning turned by ${degrees}°`,
    `${Object.keys(words).length} words weighed`,
    ...(meaningToo ? ["all words alone no longer enough"] : []),
  ].join(", ");
}

/** How strongly each judged post pulls: the gap between the owner's word and what is then believed of it. */
function pullsOf(posts: readonly JudgedPost[], alikeness: (i: number, j: number) => number): number[] {
  const kernel = posts.map((_, i) => posts.map((_, j) => alikeness(i, j)));
  const pulls = posts.map(() => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, { evidence, relevant }] of posts.entries()) {
      const row = kernel[i] ?? [];
      const self = row[i] ?? 0;
      const others = row.reduce((sum, k, j) => (j === i ? sum : sum + k * (pulls[j] ?? 0)), evidence);
      // Newton's method for the one pull that agrees with its own effect.
      for (let step = 0; step < 4; step += 1) {
        const pull = pulls[i] ?? 0;
        const belief = 1 / (1 + Math.exp(-(others + self * pull)));
        pulls[i] = pull - (pull - Number(relevant) + belief) / (1 + self * belief * (1 - belief));
      }
    }
  }
  return pulls;
}

/** 0…1: the words that two posts have in common, rare ones above all. */
function inCommon(
  words: readonly string[],
  others: readonly string[],
  rarity: (stem: string) => number,
): number {
  const known = new Set(others);
  const sum = words.reduce((total, stem) => total + (known.has(stem) ? rarity(stem) : 0), 0);
  return sum / Math.sqrt(Math.max(1, words.length * others.length));
}

/** How rare a stem is among posts: the square of its inverse document frequency, 1 for a stem of none of them. */
function rarityAmong(posts: readonly PostAround[]): (stem: string) => number {
  const counts = new Map<string, number>();
  for (const { text } of posts) {
    for (const stem of text.speech.single) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const among = posts.length + BESIDE;
  return (stem) => (Math.log(1 + among / (counts.get(stem) ?? 1)) / Math.log(1 + among)) ** 2;
}

/** Mean of the vectors of posts, or null when none has one. */
function middleOf(posts: readonly PostAround[]): Float32Array | null {
  const vectors = posts.flatMap(({ vector }) => (vector === null ? [] : [dequantize(vector)]));
  const [first] = vectors;
  if (first === undefined) return null;
  return first.map((_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length);
}

/** What a post is about besides: its vector from the middle of the posts around it, at right angles to the query's. */
function asideFrom(
  query: Int8Array | null,
  post: Int8Array | null,
  middle: Float32Array | null,
): Float32Array | null {
  if (query === null || post === null) return null;
  const from = dequantize(query);
  const to = dequantize(post).map((v, i) => v - (middle?.[i] ?? 0));
  const along = products(from, to);
  return to.map((v, i) => v - along * (from[i] ?? 0));
}

function products(a: Float32Array | null, b: Float32Array | null): number {
  return a === null || b === null ? 0 : a.reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0);
}

function directionOf(
  sides: readonly (Float32Array | null)[],
  pulls: readonly number[],
): Learning["direction"] {
  const length = sides.find((side) => side !== null)?.length ?? 0;
  const sum = new Float32Array(length);
  for (const [i, side] of sides.entries()) {
    for (let at = 0; side !== null && at < length; at += 1) {
      sum[at] = (sum[at] ?? 0) + SPREAD.direction * (pulls[i] ?? 0) * (side[at] ?? 0);
    }
  }
  const weight = Math.hypot(...sum);
  if (weight < 1e-6) return null;
  const unit = quantize(sum.map((v) => v / weight));
  const bytes = Buffer.from(unit.buffer, unit.byteOffset, unit.byteLength);
  return { vector: bytes.toString("base64"), weight: rounded(Math.min(BOUNDS.direction, weight)) };
}

const STOPS = new Set([...ENGLISH_STOP_WORDS].map((word) => stemmer(word)));
const tellingStems = ({ speech }: PostText) =>
  [...speech.single].filter((stem) => stem.length > 2 && !isFunctionWord(stem) && !STOPS.has(stem));

/** FNV-1a of 32 bits, in hexadecimal: enough to tell a post's words apart, and no text. */
function hashOf(stem: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < stem.length; i += 1) hash = Math.imul(hash ^ stem.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}

const within = (bound: number, value: number) => rounded(Math.max(-bound, Math.min(bound, value)));
const rounded = (value: number) => Number(value.toFixed(4));
