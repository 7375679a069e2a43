/** What filters ask of a post by yes or no, as bits: one look tells whether it has a trait that bars it. */
export interface TraitsOf {
  kind: string;
  verified: boolean;
  parentId: string | null;
  syndicated: boolean;
  place: object | null;
}

/** The filters that traits can decide. */
export interface BarsOf {
  kinds: readonly string[] | null;
  verifiedOnly: boolean;
  includeReplies: boolean;
  includeSyndicated: boolean;
  parentId: string | null;
  near: object | null;
}

/** Kinds take the lowest bits; the one after them stands for a kind that is not known. */
export const KINDS_MAX = 24;
const KIND_BITS = (1 << (KINDS_MAX + 1)) - 1;
const TRAIT = {
  unknownKind: 1 << 24,
  unverified: 1 << 25,
  syndicated: 1 << 26,
  reply: 1 << 27,
  noReply: 1 << 28,
  placeless: 1 << 29,
} as const;

/** @param kinds  all kinds there are, at most `KINDS_MAX` */
export function traitsOf(post: TraitsOf, kinds: readonly string[]): number {
  return (
    kindBit(post.kind, kinds) |
    (post.verified ? 0 : TRAIT.unverified) |
    (post.syndicated ? TRAIT.syndicated : 0) |
    (post.parentId === null ? TRAIT.noReply : TRAIT.reply) |
    (post.place === null ? TRAIT.placeless : 0)
  );
}

/** Traits of which a post must have none, so that it passes; bit 30 is never among them. Nothing is of an unknown kind. */
export function barsOf(filter: BarsOf, kinds: readonly string[]): number {
  const wanted = filter.kinds?.reduce((bits, kind) => bits | kindBit(kind, kinds), 0);
  const replies = filter.parentId !== null ? TRAIT.noReply : filter.includeReplies ? 0 : TRAIT.reply;
  return (
    (wanted === undefined ? 0 : KIND_BITS & ~(wanted & ~TRAIT.unknownKind)) |
    (filter.verifiedOnly ? TRAIT.unverified : 0) |
    (filter.includeSyndicated ? 0 : TRAIT.syndicated) |
    replies |
    (filter.near === null ? 0 : TRAIT.placeless)
  );
}

function kindBit(kind: string, kinds: readonly string[]): number {
  const number = kinds.indexOf(kind);
  return number < 0 ? TRAIT.unknownKind : 1 << number;
}
