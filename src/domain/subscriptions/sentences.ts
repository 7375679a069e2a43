import type { StoredSubscription } from "../../ports/store/index.ts";
import type { StandingQuery } from "../../schema/subscription.ts";
import { describeQuery } from "../search/query.ts";

/** Shown in place of a sentence for a query that only another version of the board can read. */
const UNREADABLE = "A query of another version of the board, which matches nothing here: save it anew";

/** A saved query as a person reads it. */
export const describes = (query: StandingQuery | null): string =>
  query === null ? UNREADABLE : describeQuery(query);

export const notMatched = ({ inactiveReason }: StoredSubscription) =>
  `The subscription is inactive (\`${inactiveReason}\`): new posts are not matched until it is active again.`;

/** The cursor of a page is never null, so only this note says whether to ask again now or later. */
export const FULL_PAGE = "This page is full, so more may be waiting: ask again now with `next_cursor`.";
