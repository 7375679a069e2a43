import type { StandingFilter } from "../../schema/filter.ts";
import type { Kind } from "../../schema/post.ts";
import type { Point } from "../distance.ts";
import { PLACE_CLASSES, placeClass, placeClasses, tagKey } from "./keys.ts";

/** What filters read of a new post. */
export interface FilteredPost {
  kind: Kind;
  tags: readonly string[];
  place: Point | null;
  windowStart: number;
  windowEnd: number;
  /** Of the publisher. */
  verified: boolean;
  publisherId: string;
  parentId: string | null;
  syndicated: boolean;
  createdAt: number;
}

/** Kinds take the lowest bits; the one after them stands for a kind that is not known. */
export const KINDS_MAX = 7;
const KIND_BITS = (1 << (KINDS_MAX + 1)) - 1;
/** Traits of a post that filters ask about, as bits: one comparison tells whether any of them bars it. */
const TRAIT = {
  unknownKind: 1 << KINDS_MAX,
  unverified: 1 << 8,
  syndicated: 1 << 9,
  reply: 1 << 10,
  noReply: 1 << 11,
  placeless: 1 << 12,
  /** The first of the classes of places; a post is in one of them. */
  place: 1 << 13,
  /** The first of the classes of tags; a post lacks most of them. */
  lacksTag: 1 << 21,
} as const;
const TAG_CLASSES = 9;
const PLACE_BITS = ((1 << PLACE_CLASSES) - 1) * TRAIT.place;
const TAG_BITS = ((1 << TAG_CLASSES) - 1) * TRAIT.lacksTag;

/** @param kinds  all kinds there are, at most `KINDS_MAX` */
export function traitsOf(post: FilteredPost, kinds: readonly string[]): number {
  return (
    kindBit(post.kind, kinds) |
    (post.verified ? 0 : TRAIT.unverified) |
    (post.syndicated ? TRAIT.syndicated : 0) |
    (post.parentId === null ? TRAIT.noReply : TRAIT.reply) |
    (post.place === null ? TRAIT.placeless : TRAIT.place << placeClass(post.place)) |
    (TAG_BITS & ~tagBits(post.tags))
  );
}

/**
 * Traits that a post must not have if it is to pass; never bits 30 and 31. No filter admits an unknown kind. Of places
 * and tags only classes count: a post that is not barred may still be elsewhere.
 */
export function barsOf(filter: StandingFilter, kinds: readonly string[]): number {
  const wanted = filter.kinds?.reduce((bits, kind) => bits | kindBit(kind, kinds), 0);
  const replies = filter.parentId !== null ? TRAIT.noReply : filter.includeReplies ? 0 : TRAIT.reply;
  return (
    (wanted === undefined ? 0 : KIND_BITS & ~(wanted & ~TRAIT.unknownKind)) |
    (filter.verifiedOnly ? TRAIT.unverified : 0) |
    (filter.includeSyndicated ? 0 : TRAIT.syndicated) |
    replies |
    (filter.near === null ? 0 : TRAIT.placeless | (PLACE_BITS & ~placeBits(filter.near))) |
    // Several tags mean any of them, which one mask cannot express.
    (filter.tags?.length === 1 ? tagBits(filter.tags) : 0)
  );
}

function kindBit(kind: string, kinds: readonly string[]): number {
  const number = kinds.indexOf(kind);
  return number < 0 ? TRAIT.unknownKind : 1 << number;
}

function placeBits(circle: Point & { radiusKm: number }): number {
  return placeClasses(circle, circle.radiusKm).reduce((bits, nth) => bits | (TRAIT.place << nth), 0);
}

function tagBits(tags: readonly string[]): number {
  return tags.reduce((bits, tag) => bits | (TRAIT.lacksTag << ((tagKey(tag) >>> 0) % TAG_CLASSES)), 0);
}
