import { KINDS } from "../../src/schema/post.ts";
import type { NewPost, SavedQuery } from "../../src/search/percolator/index.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import { floorOf, standingText } from "../../src/search/standing-rule/index.ts";
import { quantize } from "../../src/search/vectors.ts";
import { seeded } from "../support/random.ts";
import type { Texts } from "./texts.ts";

const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const TAGS = 400;
const CITIES = 200;
/** Parts of a vector: a text's own, another's, and the length of the noise. */
const MIX = { own: 0.7, other: 0.3, noise: 0.3 };

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

/** One of the cities, the first ones most often. */
function city(random: () => number): { lat: number; lng: number } {
  const at = seeded(9_000 + Math.floor(random() ** 2 * CITIES));
  const centre = { lat: at() * 100 - 40, lng: at() * 360 - 180 };
  return { lat: centre.lat + (random() - 0.5) * 0.3, lng: centre.lng + (random() - 0.5) * 0.3 };
}
const kindOf = (random: () => number) => KINDS[Math.floor(random() ** 1.3 * KINDS.length)] ?? KINDS[0];
const tagOf = (random: () => number) => `tag${Math.floor(random() ** 2 * TAGS)}`;

/** A query of the mix that bench/matching-speed.ts describes. */
export function savedQuery(texts: Texts, random: () => number, floor: number): SavedQuery {
  const way = random();
  const structural = way >= 0.85;
  const starts = NOW + Math.floor(random() * 20) * DAY_MS;
  const hasWindow = random() < 0.2;
  const words = new Set<string>();
  if (way < 0.45) {
    const said = pick(texts.postWords, random);
    const wanted = 2 + Math.floor(random() * 3);
    for (let tries = 0; words.size < wanted && tries < 40; tries += 1) {
      const word = pick(said, random);
      if (word.length > 3) words.add(word);
    }
  }
  const near = structural || random() < 0.5 ? { ...city(random), radiusKm: 25 + random() * 175 } : null;
  const kinds = structural || random() < 0.7 ? [kindOf(random)] : null;
  return {
    filter: {
      kinds,
      tags: random() < 0.3 ? [tagOf(random)] : null,
      near,
      after: hasWindow ? starts : null,
      before: hasWindow ? starts + Math.floor(random() * 30) * DAY_MS : null,
      verifiedOnly: random() < 0.1,
      includeSyndicated: random() >= 0.1,
      publisherId: null,
      parentId: null,
      includeReplies: false,
    },
    createdAt: NOW - DAY_MS,
    required: [],
    words: way < 0.45 ? [...words] : structural ? [] : null,
    meaning: way >= 0.45 && !structural ? meaningOf(texts, random, floor, kinds, near !== null) : null,
  };
}

/** The mixed meaning of two queries, with the words of the first. */
function meaningOf(
  texts: Texts,
  random: () => number,
  floor: number,
  kinds: readonly string[] | null,
  hasPlace: boolean,
): SavedQuery["meaning"] {
  const at = Math.floor(random() * texts.queries.length);
  const vector = mixed(texts.queries[at] ?? new Float32Array(384), pick(texts.queries, random), random);
  const text = texts.asked[at] ?? parseQueryText("");
  return {
    vector,
    floor: ownFloor(floor, { text, kinds, hasPlace, vector, background: null }),
  };
}

/** One floor for all; with 0, the calibrated rule's own for this query. */
function ownFloor(floor: number, query: Parameters<typeof standingText>[0]): number {
  if (floor > 0) return floor;
  const standing = standingText(query);
  return Math.min(...(query.kinds ?? KINDS).map((kind) => floorOf(standing, { kind })));
}

/** A post somewhere between two real texts. */
export function newPost(texts: Texts, random: () => number): NewPost {
  const starts = NOW + Math.floor(random() * 30) * DAY_MS;
  const at = Math.floor(random() * texts.posts.length);
  return {
    kind: kindOf(random),
    tags: [tagOf(random), tagOf(random)],
    place: random() < 0.8 ? city(random) : null,
    windowStart: starts,
    windowEnd: starts + DAY_MS,
    verified: random() < 0.3,
    publisherId: "p",
    parentId: null,
    syndicated: random() < 0.3,
    createdAt: NOW,
    words: texts.postWords[at] ?? [],
    vector: mixed(texts.posts[at] ?? new Float32Array(384), pick(texts.posts, random), random),
  };
}

/** A unit vector between two, with noise of a given length. */
function mixed(a: Float32Array, b: Float32Array, random: () => number): Int8Array {
  const spread = MIX.noise * Math.sqrt(12 / a.length);
  const sum = a.map((x, i) => MIX.own * x + MIX.other * (b[i] ?? 0) + spread * (random() - 0.5));
  const norm = Math.hypot(...sum);
  return quantize(sum.map((x) => x / norm));
}
