import type { StoredSubscription } from "../../ports/store/index.ts";
import { describeQuery } from "../search/query.ts";
import { standingQueryOf } from "./state.ts";

/** Says in words what a subscription looks for. */
export function describeSubscription(row: StoredSubscription): string {
  const { thread } = row.query;
  if (row.event === "post.replied")
    return thread === undefined ? "Replies to your posts" : `Replies to post ${thread}`;
  const query = standingQueryOf(row);
  return query === null ? UNREADABLE : `${describeQuery(query)}${row.breadth === "wide" ? WIDE : ""}`;
}

const WIDE = ", with all that may answer (wide)";

/** It stands in place of a sentence for a query that only another version of the board can read. */
const UNREADABLE = "A query of another version of the board, which matches nothing here: save it anew";
