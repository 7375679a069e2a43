import type { Question } from "../../../src/ports/search-index.ts";
import { LIMITS } from "../../../src/search/index/follower.ts";
import { LocalAnswers } from "../../../src/search/index/local.ts";
import { OwnRows } from "../../../src/search/index/own-rows.ts";
import { Searcher } from "../../../src/search/index/query/searcher.ts";
import { WordScorer } from "../../../src/search/index/query/words.ts";
import { Tables } from "../../../src/search/index/tables.ts";
import { Phrases } from "../../../src/search/index/words/phrases.ts";
import { Stems } from "../../../src/search/index/words/stems.ts";
import { coverageFactors, fuse } from "../../../src/search/ranking/rank.ts";
import { DIMENSION, MODEL, type OpenIndex } from "./open-index.ts";

/** A memory of its own on a connection, with other limits and no snapshot. */
export function answersOn({ database }: OpenIndex, limits: Partial<typeof LIMITS> = {}): LocalAnswers {
  const model = { modelId: MODEL, dimension: DIMENSION };
  const limited = { ...LIMITS, snapshotFrom: Number.POSITIVE_INFINITY, ...limits };
  return new LocalAnswers(database, new Tables(database, new OwnRows(database)), model, limited);
}

/** All matches of a question by id, with their exact scores: a ranking tells them to three decimals. */
export function exactScores({ database }: OpenIndex, { follower }: LocalAnswers, asked: Question) {
  follower.follow();
  const stems = new Stems();
  const searcher = new Searcher(follower, new WordScorer(stems, new Phrases(database)));
  const found = searcher.match(asked, { limit: 100_000, except: new Set() });
  const factors = coverageFactors(asked.words);
  const ids = searcher.idsOf(Array.from(found.keys));
  stems.close();
  return new Map(
    ids.map((id, at) => {
      const match = { words: found.words[at] ?? 0, coverage: found.coverage[at] ?? 0 };
      const own = found.cosines[at] ?? Number.NaN;
      const cosine = Number.isNaN(own) ? null : own;
      return [id, { words: match.words, cosine, fused: fuse(cosine, match, found.bestWords, factors) }];
    }),
  );
}
