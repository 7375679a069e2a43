import type { StoredSubscription } from "../../ports/store/index.ts";
import type { Learning, StandingQuery } from "../../schema/subscription.ts";
import { learningInWords } from "../../search/standing-rule/index.ts";
import { describeQuery } from "../search/query.ts";

/** Shown in place of a sentence for a query that only another version of the board can read. */
const UNREADABLE = "A query of another version of the board, which matches nothing here: save it anew";

export const NOTHING_TO_LEARN =
  "This query has no words, so its filters alone decide and nothing was learnt: change its filters instead.";

/** A saved query and what it learnt, as a person reads them; null for one that cannot be read. */
export function describes(query: StandingQuery | null, learning: Learning | null): string {
  if (query === null) return UNREADABLE;
  return learning === null ? describeQuery(query) : `${describeQuery(query)}; ${learningInWords(learning)}`;
}

export const notMatched = ({ inactiveReason }: StoredSubscription) =>
  `The subscription is inactive (\`${inactiveReason}\`): new posts are not matched until it is active again.`;

/** The cursor of a page is never null, so only this note says whether to ask again now or later. */
export const FULL_PAGE =
  "This page is full, so more matches may be waiting: ask again now with `next_cursor`.";
