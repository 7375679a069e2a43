import type { Match, Question, SearchIndex } from "../../../../ports/search-index.ts";
import type { Place } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { UNKNOWN_WORDS_MARGIN } from "../../../../search/fuse.ts";
import { meantWord } from "../../../../search/spelling.ts";
import { comparableWords } from "../../../../search/tokens.ts";
import { cosineOf } from "../../../../search/vectors.ts";
import { bestMatches } from "../merge.ts";
import { CandidateQueries, type Given, givenBy, type LeftOut, NONE, NOTHING } from "./candidates.ts";
import { compoundOf, oneOf } from "./compound.ts";
import { Coverage } from "./coverage.ts";
import type { Facts } from "./facts.ts";
import { clauseAfter, clausesOf, conditionAfter, ORDERS, passesRest } from "./filters.ts";
import { CANDIDATES_MAX, type MongotQueries } from "./queries.ts";
import { clauseOfNear } from "./words.ts";

/** A list in time order considers this many of the posts nearest in meaning. */
const LISTED_BY_MEANING = 2_000;

/** Posts with near spellings that are read to learn how they spell. */
const SPELT_IN_MAX = 50;

/**
 * Search by mongot, the database's own search process (Atlas Search and Vector Search, or self-managed). Words and meaning
 * are asked in parallel, under the same filters. Both scores of each match are exact; the choice of matches is as exact as
 * mongot's nearest neighbours are.
 *
 * mongot lags a little behind the collection: `../merged.ts` adds the posts that changed lately. Where these are complete,
 * what mongot stores of the others is believed; else all are read from the collection, so that none appears in an old state.
 */
export class MongotIndex
  implements Omit<SearchIndex, "copies" | "rank" | "ready" | "related" | "spellings" | "spots">
{
  readonly #queries: MongotQueries;
  readonly #candidates: CandidateQueries;
  readonly #coverage: Coverage;

  constructor(queries: MongotQueries) {
    this.#queries = queries;
    this.#candidates = new CandidateQueries(queries);
    this.#coverage = new Coverage(queries);
  }

  async match(
    question: Question,
    page: { limit: number; except: ReadonlySet<string>; leftOut?: LeftOut },
  ): Promise<{ matches: Match[]; bestWords: number; facts: Map<string, Facts> }> {
    const { vector } = question;
    const found = await this.#candidates.enough(question, page);
    const checked = await this.#passing(found.given, question, page.leftOut);
    const cosines = new Map<string, number>();
    for (const [id, post] of checked) {
      if (vector !== null && post.vector !== null) cosines.set(id, cosineOf(vector, post.vector));
    }
    const byMeaning = found.meaning.filter(
      (id) => !found.words.has(id) && (cosines.get(id) ?? Number.NEGATIVE_INFINITY) >= found.floor,
    );
    // A post outside `found.words` has none of the words, unless that list was cut off.
    const lateWords = found.more
      ? await this.#candidates.wordsOf(question, byMeaning)
      : new Map<string, number>();
    const withWords = [...found.words.keys(), ...lateWords.keys()].filter((id) => checked.has(id));
    const coverage = await this.#coverage.of(question.words, withWords);
    const matches: Match[] = [];
    let bestWords = 0;
    for (const id of [...found.words.keys(), ...byMeaning]) {
      if (!checked.has(id)) continue;
      const words = found.words.get(id) ?? lateWords.get(id) ?? 0;
      bestWords = Math.max(bestWords, words);
      const match = { id, cosine: cosines.get(id) ?? null, words, coverage: coverage.get(id) ?? 0 };
      matches.push(match);
    }
    const wanted = matches.filter(({ id }) => !page.except.has(id));
    const best = bestMatches(wanted, bestWords, question.words, page.limit);
    return { matches: best, bestWords, facts: checked };
  }

  async list(
    question: Question,
    page: {
      order: "newest" | "soonest";
      after: Place | null;
      limit: number;
      leftOut?: LeftOut;
    },
  ): Promise<Place[]> {
    const places: Place[] = [];
    // Posts that fail the check leave gaps, and a short page would end the walk.
    for (let after = page.after; ; ) {
      const { found, last } = await this.#listed(question, { ...page, after });
      places.push(...found.filter(({ id }) => page.leftOut?.has(id) !== true));
      if (last === null || places.length >= page.limit) return places.slice(0, page.limit);
      after = last;
    }
  }

  /** Exact but for posts that only their meaning supports, which it counts up to 2,000. */
  async count(question: Question, leftOut: LeftOut = NOTHING): Promise<number> {
    // By name, all of them: a count gives nothing that could be taken out.
    const without = leftOut.newest(Number.POSITIVE_INFINITY);
    const { compound, asksWords } = compoundOf(question, { without });
    const [byWords, both] = await Promise.all([
      compound === null ? 0 : this.#queries.count(compound),
      question.vector === null ? null : this.#candidates.find(question, LISTED_BY_MEANING, { leftOut }),
    ]);
    if (both === null) return byWords;
    const found =
      asksWords && both.more ? await this.#candidates.wordsOf(question, both.meaning) : both.words;
    const byMeaning = new Map(
      both.meaning.filter((id) => !found.has(id)).map((id) => [id, both.given.get(id) ?? null]),
    );
    const checked = await this.#passing(byMeaning, question, leftOut);
    const supported = [...checked.values()].filter((post) => supports(question.vector, post, both.floor));
    return byWords + supported.length;
  }

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    const found = await this.#queries.vectors(ids);
    return ids.map((id) => found.get(id) ?? null);
  }

  async cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array> {
    const found = await this.#queries.vectors(ids);
    return Float64Array.from(ids, (id) => {
      const own = found.get(id);
      return own === undefined ? Number.NaN : cosineOf(vector, own);
    });
  }

  /** Whether a post has a word, and if not, the one that was most likely meant. */
  async spelling(word: string): Promise<{ isKnown: boolean; word: string | null }> {
    if (await this.#candidates.areKnown({ any: [word], phrases: [], excluded: [] }))
      return { isKnown: true, word: null };
    const [typed, another] = comparableWords(word);
    if (typed === undefined || another !== undefined) return { isKnown: false, word: null };
    const { found } = await this.#queries.words({ must: [clauseOfNear(typed)] }, { limit: SPELT_IN_MAX });
    const posts = new Map<string, number>();
    for (const text of await this.#queries.texts(found.map(({ id }) => id))) {
      for (const spelt of new Set(comparableWords(text))) {
        if (spelt.charAt(0) === typed.charAt(0)) posts.set(spelt, (posts.get(spelt) ?? 0) + 1);
      }
    }
    const candidates = Array.from(posts, ([spelt, count]) => ({ word: spelt, posts: count }));
    return { isKnown: false, word: meantWord(typed, candidates) };
  }

  /** Those of some posts that answer a question, without regard to `distinct`. */
  async matching(question: Question, ids: readonly string[], leftOut?: LeftOut): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { vector, words, minCosine } = question;
    const { compound, asksWords, required } = compoundOf(question, { only: ids });
    const [byWords, checked, known] = await Promise.all([
      compound === null ? NONE : this.#queries.words(compound, { limit: ids.length }),
      this.among(ids, question, leftOut),
      !asksWords || this.#candidates.areKnown(words),
    ]);
    const floor = known ? minCosine : minCosine + UNKNOWN_WORDS_MARGIN;
    const near = [...checked].filter(([, post]) => !required && supports(vector, post, floor));
    const nearest = near.map(([id]) => id);
    const withWords = byWords.found.map(({ id }) => id).filter((id) => checked.has(id));
    return new Set([...withWords, ...(await this.#candidates.notExcluded(nearest, question))]);
  }

  /** Those of the posts that pass the filter of a question; with their vectors if it has one. */
  async among(
    ids: readonly string[],
    { filter, vector }: Pick<Question, "filter" | "vector">,
    leftOut: LeftOut = NOTHING,
  ): Promise<Map<string, Facts>> {
    if (ids.length === 0) return new Map();
    const withVectors = vector !== null;
    if (!leftOut.isComplete) return this.#queries.checked(ids, filter, withVectors);
    const compound = { filter: [...clausesOf(filter), oneOf(ids)] };
    const { found } = await this.#queries.words(compound, { limit: ids.length, withVectors });
    return this.#passing(givenBy(found), { filter, vector }, leftOut);
  }

  /** The posts of some sources that pass a filter, up to 10,000. */
  async sharing(
    filter: PostFilter,
    sources: readonly string[],
    leftOut: LeftOut,
  ): Promise<Map<string, Facts>> {
    const compound = { filter: [...clausesOf(filter), { in: { path: "source", value: [...sources] } }] };
    const { found } = await this.#queries.words(compound, { limit: CANDIDATES_MAX });
    const others = found.filter(({ id }) => !leftOut.has(id));
    return this.#passing(givenBy(others), { filter, vector: null }, leftOut);
  }

  /** Those of the posts that the index of words holds, with the time of the state that it holds. */
  async holds(ids: readonly string[]): Promise<Map<string, number>> {
    const { found } = await this.#queries.words({ filter: [oneOf(ids)] }, { limit: ids.length });
    return new Map(found.map(({ id, facts }) => [id, facts?.updatedAt ?? Number.POSITIVE_INFINITY]));
  }

  /** Those of some posts that pass the filter of a question. */
  async #passing(
    given: Given,
    { filter, vector }: Pick<Question, "filter" | "vector">,
    leftOut: LeftOut = NOTHING,
  ): Promise<Map<string, Facts>> {
    const passing = new Map<string, Facts>();
    const unsure: string[] = [];
    for (const [id, facts] of given) {
      if (facts === null || !leftOut.isComplete) unsure.push(id);
      else if (passesRest(filter, facts) && isAllowed(leftOut.publisher(facts.publisherId), filter))
        passing.set(id, facts);
    }
    if (unsure.length > 0) {
      for (const [id, facts] of await this.#queries.checked(unsure, filter, vector !== null))
        passing.set(id, facts);
    }
    return passing;
  }

  /** One step of a list: the places found, and where the next step goes on, null at the end. */
  async #listed(
    question: Question,
    {
      order,
      after: from,
      limit,
      leftOut,
    }: { order: "newest" | "soonest"; after: Place | null; limit: number; leftOut?: LeftOut },
  ): Promise<{ found: Place[]; last: Place | null }> {
    const { path, direction } = ORDERS[order];
    const after =
      from === null
        ? undefined
        : { clause: clauseAfter(path, direction, from), condition: conditionAfter(path, direction, from) };
    const { compound } = compoundOf(question, { after });
    const [byWords, both] = await Promise.all([
      compound === null
        ? NONE
        : this.#queries.words(compound, { limit, sort: { [path]: direction, _id: direction } }),
      question.vector === null ? null : this.#candidates.find(question, LISTED_BY_MEANING, { after }),
    ]);
    const meant = (both?.meaning ?? []).map((id) => [id, both?.given.get(id) ?? null] as const);
    const given = new Map([...givenBy(byWords.found), ...meant]);
    const checked = await this.#passing(given, question, leftOut);
    const placeOf = (id: string, post: { createdAt: number; windowStart: number }): Place => ({
      id,
      at: order === "newest" ? post.createdAt : post.windowStart,
    });
    const goesBefore = (a: Place, b: Place) => direction * (a.at - b.at || (a.id < b.id ? -1 : 1));
    const end = byWords.found.length < limit ? undefined : byWords.found.at(-1);
    const last = end === undefined || end.facts === null ? null : placeOf(end.id, end.facts);
    const withWords = new Set(byWords.found.map(({ id }) => id));
    const found = [...checked]
      .filter(([id, post]) => withWords.has(id) || supports(question.vector, post, both?.floor ?? 1))
      .map(([id, post]) => placeOf(id, post))
      // What meaning found beyond that belongs to the next step.
      .filter((place) => last === null || goesBefore(place, last) <= 0 || place.id === last.id);
    return { found: found.sort(goesBefore), last };
  }
}

/** Whether a publisher's latest status lets its posts pass. */
const isAllowed = (publisher: ReturnType<LeftOut["publisher"]>, { verifiedOnly }: PostFilter) =>
  publisher === null || (!publisher.suspended && (publisher.verified || !verifiedOnly));

const supports = (vector: Int8Array | null, { vector: own }: Facts, floor: number) =>
  vector !== null && own !== null && cosineOf(vector, own) >= floor;
