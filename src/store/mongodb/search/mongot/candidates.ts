import type { Question } from "../../../../ports/search-index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { UNKNOWN_WORDS_MARGIN } from "../../../../search/fuse.ts";
import { cosineOf } from "../../../../search/vectors.ts";
import { type Bounds, compoundOf, NAMED_MAX, oneOf } from "./compound.ts";
import type { Facts } from "./facts.ts";
import { conditionsOf } from "./filters.ts";
import { CANDIDATES_MAX, type Found, type MongotQueries, type Scored } from "./queries.ts";
import { clauseOfExcluded, clausesOfWords } from "./words.ts";

/** Up to this many posts in a circle are compared with the vector one by one, which is exact. */
const NEAR_MAX = 2_000;
/** With more in the circle, this many times the wanted neighbours are fetched, since most lie outside. */
const NEAR_FACTOR = 10;
/** The server's cosines differ from ours by less: rounded vectors are not quite of length 1. Ours decide. */
const TOLERANCE = 0.02;

/** Posts that another index answers for: they do not even count as matches. */
export interface LeftOut {
  has(id: string): boolean;
  /** Ids of at most `limit` of them, those that changed last. */
  newest(limit: number): string[];
  /** True when they are all that mongot may not know in their present state. */
  isComplete: boolean;
  /** The status of a publisher that changed lately, which its posts may not have yet; null for others. */
  publisher(id: string): { verified: boolean; suspended: boolean } | null;
}

export const NOTHING: LeftOut = {
  has: () => false,
  newest: () => [],
  isComplete: false,
  publisher: () => null,
};

/** What mongot gave of some posts, by their ids. */
export type Given = ReadonlyMap<string, Facts | null>;

/** What each arm found, not yet checked. */
interface Candidates {
  words: Map<string, number>;
  meaning: string[];
  given: Given;
  /** True when an arm was cut off after some of it was left out: more may match. */
  short: boolean;
  /** Least cosine with which meaning supports a post. */
  floor: number;
  /** True when `words` does not hold all posts with the words. */
  more: boolean;
}

/** Finds what may match a question, by words and by meaning, under the same filters. */
export class CandidateQueries {
  readonly #queries: MongotQueries;

  constructor(queries: MongotQueries) {
    this.#queries = queries;
  }

  /** Candidates for a page; asks for more while what is left out makes it short. */
  async enough(
    question: Question,
    {
      limit,
      except,
      leftOut = NOTHING,
    }: { limit: number; except: ReadonlySet<string>; leftOut?: LeftOut | undefined },
  ): Promise<Candidates> {
    const most = Math.min(CANDIDATES_MAX, limit + except.size);
    for (let asked = most; ; asked = Math.min(CANDIDATES_MAX, 2 * asked)) {
      const found = await this.find(question, asked, { leftOut });
      const enough = found.words.size >= most || found.meaning.length >= most;
      if (!found.short || enough || asked === CANDIDATES_MAX) return found;
    }
  }

  /** The candidates of both arms, best first in each. */
  async find(
    question: Question,
    limit: number,
    { leftOut = NOTHING, after }: { leftOut?: LeftOut; after?: Bounds["after"] },
  ): Promise<Candidates> {
    const { vector, minCosine, margin = UNKNOWN_WORDS_MARGIN, words, filter } = question;
    const bounds = { after, without: leftOut.newest(NAMED_MAX) };
    const { compound, asksWords, required } = compoundOf(question, bounds);
    const [byWords, neighbours] = await Promise.all([
      compound === null ? NONE : this.#queries.words(compound, { limit, withVectors: vector !== null }),
      vector === null || required ? [] : this.#neighbours(vector, filter, limit, bounds),
    ]);
    const known =
      !asksWords || byWords.found.length > 0 || neighbours.length === 0 || (await this.areKnown(words));
    const floor = known ? minCosine : minCosine + margin;
    const near = neighbours
      .filter(({ id, score }) => score >= floor - TOLERANCE && !leftOut.has(id))
      .map(({ id }) => id);
    const withWords = byWords.found.filter(({ id }) => !leftOut.has(id));
    const meaning = await this.notExcluded(near, question);
    const supported = new Set(meaning);
    const isCut = (found: readonly Scored[]) =>
      found.length >= limit && found.some(({ id }) => leftOut.has(id));
    return {
      words: new Map(withWords.map(({ id, score }) => [id, asksWords ? score : 0])),
      meaning,
      given: givenBy([...withWords, ...neighbours.filter(({ id }) => supported.has(id))]),
      floor,
      more: byWords.found.length === limit,
      short: isCut(byWords.found) || isCut(neighbours),
    };
  }

  /** True when any post has one of the words, whatever the filters. */
  async areKnown(words: Question["words"]): Promise<boolean> {
    const { must } = clausesOfWords(words);
    const [any] = must;
    return any === undefined || (await this.#queries.words({ must: [any] }, { limit: 1 })).found.length > 0;
  }

  /** Those of the posts that have none of the excluded words. */
  async notExcluded(ids: string[], { words }: Question): Promise<string[]> {
    if (words === null || words.excluded.length === 0 || ids.length === 0) return ids;
    const compound = { filter: [oneOf(ids), clauseOfExcluded(words)] };
    const { found } = await this.#queries.words(compound, { limit: ids.length });
    const out = new Set(found.map(({ id }) => id));
    return ids.filter((id) => !out.has(id));
  }

  /** Word scores of some posts; posts without a word are left out. */
  async wordsOf({ words }: Question, ids: readonly string[]): Promise<Map<string, number>> {
    const { must } = clausesOfWords(words);
    if (must.length === 0 || ids.length === 0) return new Map();
    const { found } = await this.#queries.words({ must, filter: [oneOf(ids)] }, { limit: ids.length });
    return new Map(found.map(({ id, score }) => [id, score]));
  }

  async #neighbours(
    vector: Int8Array,
    filter: PostFilter,
    limit: number,
    { after, without = [] }: Bounds,
  ): Promise<Found[]> {
    const conditions = [...conditionsOf(filter), ...(after === undefined ? [] : [after.condition])];
    if (without.length > 0) conditions.push({ _id: { $nin: [...without] } });
    if (filter.near === null) return this.#queries.meaning(vector, conditions, limit);
    const { compound } = compoundOf({ filter, words: null, vector: null, minCosine: 0 }, { after, without });
    const around = { limit: NEAR_MAX + 1, sort: { _id: 1 }, withVectors: true };
    const { found } = await this.#queries.words(compound ?? {}, around);
    if (found.length <= NEAR_MAX) {
      const unknown = found.filter(({ facts }) => facts === null).map(({ id }) => id);
      const vectors = await this.#queries.vectors(unknown);
      return found.flatMap(({ id, facts }) => {
        const own = facts === null ? vectors.get(id) : facts.vector;
        return own == null ? [] : [{ id, score: cosineOf(vector, own), facts }];
      });
    }
    return this.#queries.meaning(vector, conditions, Math.min(CANDIDATES_MAX, limit * NEAR_FACTOR));
  }
}

export const NONE: { found: Found[]; total: number } = { found: [], total: 0 };

export const givenBy = (found: readonly Found[]): Given => new Map(found.map(({ id, facts }) => [id, facts]));
