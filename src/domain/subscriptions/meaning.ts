import type { Embedder } from "../../ports/embedder.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import { isMadeBy, makerName, type StoredSubscription } from "../../ports/store/index.ts";
import type { StandingQuery } from "../../schema/subscription.ts";
import { preparationFor } from "../../search/model-text.ts";
import { parsedTextOf } from "../search/query.ts";
import { queryVector } from "../search/query-vector.ts";
import { countBackground, countPosts } from "./backgrounds.ts";

/** A query's vector, and what the board is to it. All null without a model: words decide until a refresh finds it ready. */
export async function meaningOf(
  { index, embedder }: { index: SearchIndex; embedder: Embedder },
  query: StandingQuery,
  now: number,
) {
  const vector = await queryVector(embedder, parsedTextOf(query)?.plain ?? "");
  if (vector === null) return { vector, vectorModel: null, background: null };
  const vectorModel = makerOf(embedder);
  if (!index.ready()) return { vector, vectorModel, background: null };
  const board = { posts: await countPosts(index, now), now };
  return { vector, vectorModel, background: await countBackground(index, query, vector, board) };
}

/** Names the model that makes a query's vector, and how the text is prepared for it. */
export const makerOf = (embedder: Embedder): string =>
  makerName({ model: embedder.modelId, preparation: preparationFor(embedder) });

/** Whether a query has a vector of this model: those of another preparation compare, though they are to be renewed. */
export function hasVectorOf(
  { modelId }: Embedder,
  { vectorModel }: Pick<StoredSubscription, "vectorModel">,
): boolean {
  return vectorModel !== null && isMadeBy(vectorModel, modelId);
}
