import type { Question, SearchIndex } from "../../../src/ports/search-index.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";

/** A filter whose only condition leaves out replies. */
export const OPEN_FILTER: PostFilter = {
  kinds: null,
  tags: null,
  near: null,
  after: null,
  before: null,
  verifiedOnly: false,
  publisherId: null,
  parentId: null,
  includeReplies: false,
  includeExpired: true,
  includeSyndicated: true,
  now: 0,
  createdUntil: Number.MAX_SAFE_INTEGER,
};

/** A question to a search index with no conditions except those given. */
export function aQuestion(
  asked: Partial<Omit<Question, "filter" | "words">> & { filter?: Partial<PostFilter>; q?: string },
): Question {
  const { q, filter, ...rest } = asked;
  return {
    words: q === undefined ? null : parseQueryText(q),
    vector: null,
    minCosine: 0.5,
    ...rest,
    filter: { ...OPEN_FILTER, ...filter },
  };
}

export const aPage = (limit: number, except: readonly string[] = []) => ({ limit, except: new Set(except) });

/** Ids that a search text finds, best first. */
export async function idsFor(index: Omit<SearchIndex, "ready">, q: string): Promise<string[]> {
  return (await index.ask("rank", aQuestion({ q }), aPage(100))).map(({ id }) => id);
}
