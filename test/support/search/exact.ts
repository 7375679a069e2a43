import { expect } from "vitest";
import { ExactRanking } from "../../../bench/support/exact-ranking.ts";
import type { IndexedPost } from "../../../bench/support/index-under-test.ts";
import type { Question, SearchIndex } from "../../../src/ports/search-index.ts";
import { LIMITS } from "../../../src/search/index/follower.ts";
import { LocalAnswers } from "../../../src/search/index/local.ts";
import { OwnRows } from "../../../src/search/index/own-rows.ts";
import { Tables } from "../../../src/search/index/tables.ts";
import { FUSED_MAX } from "../../../src/search/ranking/rank.ts";
import { aPage } from "../boards/questions.ts";
import { DIMENSION, MODEL, type OpenIndex } from "./open-index.ts";

/** A memory of its own on a connection, with other limits and no snapshot. */
export function answersOn({ database }: OpenIndex, limits: Partial<typeof LIMITS> = {}): LocalAnswers {
  const model = { modelId: MODEL, dimension: DIMENSION };
  const limited = { ...LIMITS, snapshotFrom: Number.POSITIVE_INFINITY, ...limits };
  return new LocalAnswers(database, new Tables(database, new OwnRows(database)), model, limited);
}

/**
 * Holds the rankings of an index against the exact ones: the same posts, in the same order, with the same relevance.
 * @param posts  all of the index; those that do not pass the filter are not seen
 * @returns how many were found in all
 */
export async function expectExact(
  index: Pick<SearchIndex, "ask">,
  posts: readonly (IndexedPost & { isSeen?: boolean })[],
  questions: readonly Question[],
): Promise<number> {
  const exact = new ExactRanking(posts);
  let all = 0;
  for (const asked of questions) {
    const ranked = exact.rank(asked, (at) => posts[at]?.isSeen !== false, { rerank: false });
    const scores = new Map(ranked.map(({ id, score }) => [id, score]));
    const found = await index.ask("rank", asked, aPage(100_000));
    expect(found.map(({ id }) => id).sort()).toEqual([...scores.keys()].sort());
    let last = Number.POSITIVE_INFINITY;
    for (const { id, relevance } of found) {
      const score = scores.get(id) ?? Number.NaN;
      expect(Math.abs(relevance - Math.max(0, score) / FUSED_MAX)).toBeLessThan(0.000_51);
      expect(score).toBeLessThan(last + 1e-5);
      last = score;
    }
    all += found.length;
  }
  exact.close();
  return all;
}
