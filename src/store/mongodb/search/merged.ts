import type { Match, Question, RelatedQuestion, SearchIndex } from "../../../ports/search-index.ts";
import type { Place } from "../../../ports/store/index.ts";
import type { PostFilter } from "../../../schema/filter.ts";
import { rankCandidates } from "../../../search/rank.ts";
import { cosineOf } from "../../../search/vectors.ts";
import type { SourceQueries } from "./collection/sources.ts";
import { distinctMatches, distinctPlaces, hiddenOfNewest } from "./distinct.ts";
import { mergeMatches, mergePlaces } from "./merge.ts";
import type { LeftOut } from "./mongot/candidates.ts";
import type { Facts } from "./mongot/facts.ts";
import type { MongotIndex } from "./mongot/index.ts";
import { CANDIDATES_MAX } from "./mongot/queries.ts";
import type { RecentPosts } from "./recent.ts";
import { copiesAmong, copiesOf, type SourceLookups } from "./sources.ts";

/** How long a changed post is searched here at least: mongot rarely lags further behind. */
export const RECENT_MS = 60_000;

type Vectors = Map<string, Int8Array | null>;

/**
 * mongot's answers merged with the posts that changed lately. A ranking reads no document of the collection, except where
 * mongot's index lacks what it needs, or changes may be missing among the recent ones.
 */
export class MergedIndex implements Omit<SearchIndex, "ready" | "spots" | "vectors" | "cosines"> {
  readonly #mongot: MongotIndex;
  readonly #recent: RecentPosts;
  readonly #sources: SourceQueries;
  readonly #isCurrent: () => boolean;

  /** @param parts.isCurrent  whether mongot's indexes have their present definitions and follow the collection */
  constructor(parts: {
    mongot: MongotIndex;
    recent: RecentPosts;
    sources: SourceQueries;
    isCurrent: () => boolean;
  }) {
    this.#mongot = parts.mongot;
    this.#recent = parts.recent;
    this.#sources = parts.sources;
    this.#isCurrent = parts.isCurrent;
  }

  async match(question: Question, page: Parameters<SearchIndex["match"]>[1]) {
    const { matches, bestWords } = await this.#match(question, page, new Map());
    return { matches, bestWords };
  }

  rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]) {
    const known: Vectors = new Map();
    return rankCandidates<string>(
      {
        match: async (page) => {
          const { matches, bestWords } = await this.#match(question, page, known);
          return {
            keys: matches.map(({ id }) => id),
            cosines: Float64Array.from(matches, ({ cosine }) => cosine ?? Number.NaN),
            words: Float64Array.from(matches, ({ words }) => words),
            coverage: Float64Array.from(matches, ({ coverage }) => coverage),
            bestWords,
          };
        },
        vectors: async (ids) => ids.map((id) => known.get(id) ?? null),
        cosines: async (vector, ids) =>
          Float64Array.from(ids, (id) => {
            const own = known.get(id);
            return own == null ? Number.NaN : cosineOf(vector, own);
          }),
        fits: async (filter, ids) => {
          const fitting = await this.#passing(filter, Array.from(ids));
          return Uint8Array.from(ids, (id) => Number(fitting.has(id)));
        },
        idsOf: (ids) => [...ids],
      },
      question,
      options,
    );
  }

  async list(question: Question, page: Parameters<SearchIndex["list"]>[1]): Promise<Place[]> {
    const leftOut = this.#leftOut();
    const all = { ...question, distinct: false };
    return distinctPlaces(this.#hiddenIn(question, leftOut), page, async (after) => {
      const [large, small] = await Promise.all([
        this.#mongot.list(all, { ...page, after, leftOut }),
        this.#recent.index.list(all, { ...page, after }),
      ]);
      return mergePlaces(small, large, page.order, page.limit);
    });
  }

  copies(question: Question, ids: readonly string[]): Promise<string[][]> {
    return copiesOf(this.#lookups(this.#leftOut()), question, ids);
  }

  /** Copies are taken off among the newest matches. */
  async count(question: Question): Promise<number> {
    const leftOut = this.#leftOut();
    const all = { ...question, distinct: false };
    const [large, small] = await Promise.all([
      this.#mongot.count(all, leftOut),
      this.#recent.index.count(all),
    ]);
    if (question.distinct !== true) return large + small;
    const hidden = this.#hiddenIn(question, leftOut);
    return large + small - (await hiddenOfNewest(hidden, (page) => this.list(all, page)));
  }

  /** Near spellings of mongot's posts and of recent ones are compared. */
  async spellings(words: readonly string[]): Promise<(string | null)[]> {
    const near = await Promise.all(words.map((word) => this.#mongot.spelling(word)));
    const own = await this.#recent.index.spellings(words);
    return near.map((meant, at) => (meant.isKnown ? null : (meant.word ?? own[at] ?? null)));
  }

  async related(id: string, { filter, minCosine, limit }: RelatedQuestion): Promise<string[]> {
    const [vector = null] = await this.#mongot.vectors([id]);
    if (vector === null) return [];
    const page = { limit, except: new Set([id]) };
    const { matches } = await this.match({ filter, words: null, vector, minCosine }, page);
    return matches.map((match) => match.id);
  }

  /** @param known  is given the vectors of what is found, if the question has one */
  async #match(
    question: Question,
    page: Parameters<SearchIndex["match"]>[1],
    known: Vectors,
  ): Promise<{ matches: Match[]; bestWords: number }> {
    const leftOut = this.#leftOut();
    const all = { ...question, distinct: false };
    const facts = new Map<string, Facts>();
    const ask = async (limit: number) => {
      const [large, small] = await Promise.all([
        this.#mongot.match(all, { ...page, limit, leftOut }),
        this.#recent.index.match(all, { ...page, limit }),
      ]);
      for (const [id, own] of large.facts) {
        facts.set(id, own);
        known.set(id, own.vector);
      }
      const ids = small.matches.map(({ id }) => id);
      const vectors = question.vector === null ? [] : await this.#recent.index.vectors(ids);
      for (const [at, id] of ids.entries()) known.set(id, vectors[at] ?? null);
      return mergeMatches(large, small, question.words, limit);
    };
    return distinctMatches(this.#hiddenIn(question, leftOut, facts), page.limit, ask);
  }

  /** Those of some posts that pass a filter. */
  async #passing(filter: PostFilter, ids: readonly string[]): Promise<Set<string>> {
    const leftOut = this.#leftOut();
    const asked = { filter, words: null, vector: null, minCosine: 0 };
    const [large, small] = await Promise.all([
      this.#mongot.among(othersThan(leftOut, ids), asked, leftOut),
      this.#matchingRecent(asked),
    ]);
    return new Set([...large.keys(), ...small]);
  }

  async #matchingRecent(question: Question): Promise<string[]> {
    const everything = { limit: CANDIDATES_MAX, except: new Set<string>() };
    const { matches } = await this.#recent.index.match({ ...question, distinct: false }, everything);
    return matches.map(({ id }) => id);
  }

  #hiddenIn(question: Question, leftOut: LeftOut, facts?: ReadonlyMap<string, Facts>) {
    return async (ids: readonly string[]): Promise<Set<string>> =>
      question.distinct === true
        ? copiesAmong(this.#lookups(leftOut, facts), question, ids)
        : new Set<string>();
  }

  /** @param facts  what is known of the posts that are asked about; without it, the collection tells it */
  #lookups(leftOut: LeftOut, facts?: ReadonlyMap<string, Facts>): SourceLookups {
    const matching = (question: Question, ids: readonly string[]) => this.#matching(question, ids);
    if (facts === undefined || !leftOut.isComplete)
      return {
        of: (ids) => this.#sources.of(ids),
        sharing: (...asked) => this.#sources.sharing(...asked),
        matching,
      };
    return {
      of: async (ids) => [
        ...ids.flatMap((id) => {
          const own = leftOut.has(id) ? undefined : facts.get(id);
          return own === undefined ? [] : [{ id, ...own }];
        }),
        ...this.#recent.sourced(ids.filter((id) => leftOut.has(id))),
      ],
      sharing: async (filter, sources) => {
        const asked = { filter, words: null, vector: null, minCosine: 0 };
        const [large, small] = await Promise.all([
          this.#mongot.sharing(filter, sources, leftOut),
          this.#matchingRecent(asked),
        ]);
        const wanted = new Set(sources);
        const recent = this.#recent
          .sourced(small)
          .filter(({ source }) => source !== null && wanted.has(source));
        return [...Array.from(large, ([id, own]) => ({ id, ...own })), ...recent];
      },
      matching,
    };
  }

  /** Those of some posts that answer a question: recent ones by their index, the others by mongot. */
  async #matching(question: Question, ids: readonly string[]): Promise<Set<string>> {
    const leftOut = this.#leftOut();
    const [large, small] = await Promise.all([
      this.#mongot.matching(question, othersThan(leftOut, ids), leftOut),
      this.#matchingRecent(question),
    ]);
    return new Set([...large, ...small]);
  }

  #leftOut(): LeftOut {
    const leftOut = this.#recent.leftOut(RECENT_MS);
    return { ...leftOut, isComplete: leftOut.isComplete && this.#isCurrent() };
  }
}

const othersThan = (leftOut: LeftOut, ids: readonly string[]) => ids.filter((id) => !leftOut.has(id));
