import { placeInText } from "../../gazetteer/in-text.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import { isMadeBy, makerName, type StoredSubscription } from "../../ports/store/index.ts";
import type { PostBackground, StandingQuery } from "../../schema/subscription.ts";
import { distanceKm } from "../../search/ranking/distance.ts";
import { type StandingText, standingText } from "../../search/standing/index.ts";
import { preparationFor } from "../../search/text/model-text.ts";
import { parseQueryText, type QueryText } from "../../search/text/query-text.ts";
import { filterOf, queryVector, radiusOf, textOfQuery } from "../search/query.ts";
import { subjectOf, unquoted } from "../search/understood/index.ts";
import { toReference } from "../search/weak.ts";

/**
 * Gives a query's vector, and the board as counted for it. All null without a model: words decide until a refresh finds it
 * ready.
 */
export async function meaningOf(
  { index, embedder }: { index: SearchIndex; embedder: Embedder },
  query: StandingQuery,
  now: number,
) {
  const vector = await queryVector(embedder, savedTextOf(query)?.plain ?? "");
  if (vector === null) return { vector, vectorModel: null, background: null };
  const vectorModel = makerOf(embedder);
  if (!index.ready()) return { vector, vectorModel, background: null };
  const board = { posts: await countPosts(index, now), now };
  return { vector, vectorModel, background: await countBackground(index, query, board) };
}

/**
 * Parses what the free text of a saved query asks for; null when there is none. A place that the filter holds already is
 * none of its words: in a vector it would draw near whatever is there.
 */
export function savedTextOf(query: StandingQuery): QueryText | null {
  const text = textOfQuery(query);
  if (text === null) return null;
  const { near } = query;
  const said = near === undefined ? null : placeInText(unquoted(text));
  const isHeld = near !== undefined && said !== null && distanceKm(near, said.place) <= radiusOf(query);
  return parseQueryText(isHeld ? subjectOf(text, [said.text]) : text);
}

/** Names the model that makes a query's vector, and how the text is prepared for it. */
export const makerOf = (embedder: Embedder): string =>
  makerName({ model: embedder.modelId, preparation: preparationFor(embedder) });

/** Tells whether a query has a vector of this model: those of another preparation compare, though they are to be renewed. */
export function hasVectorOf(
  { modelId }: Embedder,
  { vectorModel }: Pick<StoredSubscription, "vectorModel">,
): boolean {
  return vectorModel !== null && isMadeBy(vectorModel, modelId);
}

/** Gives a saved query as the rule reads it; null without a text, when its filters decide. */
export function standingFor(
  embedder: Embedder,
  row: StoredSubscription,
  query: StandingQuery,
): StandingText | null {
  const text = savedTextOf(query);
  if (text === null) return null;
  const { kinds, near } = filterOf(query, 0);
  const { breadth } = row;
  const [vector, background] = hasVectorOf(embedder, row) ? [row.vector, row.background] : [null, null];
  const map = toReference(embedder.scale);
  return standingText({ text, kinds, hasPlace: near !== null, vector, background, breadth, map });
}

/** Both counts are raised by this, so that a board's first posts are not each a reason to count again. */
const BESIDE = 20;
/** A board that has grown or shrunk by this factor is counted again. */
const CHANGED = 1.25;

/** Counts active top-level posts of the board. */
export function countPosts(index: SearchIndex, now: number): Promise<number> {
  return index.ask("count", questionOf({}, now));
}

/** Counts a board's posts for a saved query. */
export async function countBackground(
  index: SearchIndex,
  query: StandingQuery,
  board: { posts: number; now: number },
): Promise<PostBackground> {
  return { posts: board.posts, passing: await index.ask("count", questionOf(query, board.now)) };
}

/** Tells whether a board has grown or shrunk so much since it was counted that it is counted again. */
export function hasChanged(background: PostBackground, posts: number): boolean {
  const factor = (posts + BESIDE) / (background.posts + BESIDE);
  return factor > CHANGED || factor < 1 / CHANGED;
}

/** Asks for what passes the filters, phrases and exclusions of a query. */
function questionOf(query: StandingQuery, now: number): Question {
  const text = savedTextOf(query);
  const bounds = text !== null && text.phrases.length + text.excluded.length > 0;
  return {
    filter: filterOf(query, now),
    words: text !== null && bounds ? { any: [], phrases: text.phrases, excluded: text.excluded } : null,
    vector: null,
    minCosine: 0,
  };
}
