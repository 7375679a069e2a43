import type { Question, SearchIndex } from "../../ports/search-index.ts";
import { fuse, relevanceOf } from "../../search/fuse.ts";
import { FEEDBACK, feedback } from "../../search/rerank.ts";

/** The rerank pass reads at least this many first-pass matches, so that a short page is more than reshuffled. */
const POOL = 200;

export interface Ranked {
  id: string;
  /** 0…1, three decimals, never larger than that of the post before. */
  relevance: number;
}

/**
 * Ranks what matches a question: both arms fused and, with `rerank`, meaning judged once more by the query moved
 * towards the five best posts.
 *
 * @param options.except  ids to leave out, as an earlier part of the same walk returned them
 * @returns best first, equal scores by id; `total` counts all matches, also those left out
 */
export async function rankMatches(
  index: SearchIndex,
  question: Question,
  options: { rerank: boolean; limit: number; except: ReadonlySet<string> },
): Promise<{ ranked: Ranked[]; total: number }> {
  const { rerank, limit, except } = options;
  const pool = rerank ? Math.max(limit, POOL) : limit;
  const { matches, total, bestWords } = await index.match(question, { limit: pool, except });
  let cosines = matches.map(({ cosine }) => cosine);
  if (rerank && question.vector !== null && matches.length > 0) {
    // A later part of a walk is judged by the same five posts as its beginning.
    const best = except.size === 0 ? matches : await bestOf(index, question);
    const ids = best.slice(0, FEEDBACK.posts).map(({ id }) => id);
    const vectors = (await index.vectors(ids)).filter((vector) => vector !== null);
    const moved = feedback(question.vector, vectors);
    const found = matches.map(({ id }) => id);
    const again = await index.cosines(moved, found);
    cosines = [...again].map((cosine) => (Number.isNaN(cosine) ? null : cosine));
  }
  const scored = matches.map(({ id, words }, i) => ({
    id,
    score: fuse(cosines[i] ?? null, words, bestWords),
  }));
  scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const ranked = scored.slice(0, limit).map(({ id, score }) => ({ id, relevance: relevanceOf(score) }));
  return { ranked, total };
}

async function bestOf(index: SearchIndex, question: Question): Promise<{ id: string }[]> {
  return (await index.match(question, { limit: FEEDBACK.posts, except: new Set() })).matches;
}
