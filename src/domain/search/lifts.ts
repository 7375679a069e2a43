import type { Lift, PostFilter } from "../../schema/filter.ts";
import type { QueryText } from "../../search/query-text.ts";
import { isAfterSeekers } from "../../search/standing-rule/cues.ts";

/** Enough to pass a post of nearly the same meaning, too little to pass a better answer: chosen among 0.05 to 0.15. */
const ROLE_WEIGHT = 0.1;

/**
 * Puts the right side first: those who seek behind the thing itself, or in front where a search is after them. A search
 * that asks for kinds has decided.
 */
export function roleLifts(text: QueryText, kinds: PostFilter["kinds"]): Lift[] {
  if (kinds !== null) return [];
  if (!isAfterSeekers(text.plain)) return [{ filter: { kinds: ["request"] }, weight: -ROLE_WEIGHT }];
  return [
    { filter: { kinds: ["request"] }, weight: ROLE_WEIGHT },
    { filter: { kinds: ["offer"] }, weight: -ROLE_WEIGHT },
  ];
}
