import { BoardError } from "../../board/failures.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import { quotedLabels } from "../../schema/place.ts";
import type { StandingQuery } from "../../schema/subscription.ts";
import { filterOf } from "./query.ts";

/** Decides the place of the query: a name that several places bear means the only one of them that has posts. */
export async function withPlaceDecided<Query extends StandingQuery>(
  index: SearchIndex,
  query: Query,
  now: number,
  path: "near" | "query.near",
): Promise<Query> {
  const { near, radius_km } = query;
  const { oneOf = [] } = near ?? {};
  if (near === undefined || oneOf.length === 0) return query;
  const counts = await Promise.all(
    oneOf.map((place) =>
      index.ask(
        "count",
        {
          filter: filterOf({ near: place, ...(radius_km === undefined ? {} : { radius_km }) }, now),
          words: null,
          vector: null,
          minCosine: 1,
        },
        1,
      ),
    ),
  );
  const withPosts = oneOf.filter((_place, at) => (counts[at] ?? 0) > 0);
  const [only] = withPosts;
  if (only !== undefined && withPosts.length === 1)
    return { ...query, near: { ...only, isOnlyWithPosts: true } };
  const places = quotedLabels(oneOf.map(({ place }) => place?.label ?? ""));
  const found = withPosts.length > 1 ? "; the board has posts at more than one" : "";
  const message = `Several places bear this name${found}. Send one of ${places}, or its \`lat,lng\`.`;
  throw new BoardError(path === "near" ? "invalid_query" : "invalid_request", {
    issues: [{ path, code: "ambiguous_place", message }],
  });
}
