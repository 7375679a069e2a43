import type { Match, Question, SearchIndex } from "../../../../ports/search-index.ts";
import type { Place } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { UNKNOWN_WORDS_MARGIN } from "../../../../search/fuse.ts";
import { meantWord } from "../../../../search/spelling.ts";
import { comparableWords } from "../../../../search/tokens.ts";
import { cosineOf } from "../../../../search/vectors.ts";
import { bestMatches } from "../merge.ts";
import { type Bounds, compoundOf, NAMED_MAX, oneOf } from "./compound.ts";
import { Coverage } from "./coverage.ts";
import { clauseAfter, conditionAfter, conditionsOf, ORDERS } from "./filters.ts";
import { CANDIDATES_MAX, type Checked, type Found, type MongotQueries, type Scored } from "./queries.ts";
import { clauseOfExcluded, clauseOfNear, clausesOfWords } from "./words.ts";

/** Up to this many posts in a circle are compared with the vector one by one, which is exact. */
const NEAR_MAX = 2_000;
/** With more in the circle, this many times the wanted neighbours are fetched, since most lie outside. */
const NEAR_FACTOR = 10;
/** A list in time order considers this many of the posts nearest in meaning. */
const LISTED_BY_MEANING = 2_000;

/** Posts with near spellings that are read to learn how they spell. */
const SPELT_IN_MAX = 50;

/** The server's cosines differ from ours by less: rounded vectors are not quite of length 1. Ours decide. */
const TOLERANCE = 0.02;

/** Posts that another index answers for: they do not even count as matches. */
export interface LeftOut {
  has(id: string): boolean;
  /** Ids of at most `limit` of them, those that changed last. */
  newest(limit: number): string[];
}

const NOTHING: LeftOut = { has: () => false, newest: () => [] };

/** Ids that each arm found, not yet checked. */
interface Candidates {
  words: Map<string, number>;
  meaning: string[];
  /** True when an arm was cut off after some of it was left out: more may match. */
  short: boolean;
  /** Least cosine with which meaning supports a post. */
  floor: number;
  /** True when `words` does not hold all posts with the words. */
  more: boolean;
}

/**
 * Search by mongot, the database's own search process (Atlas Search and Vector Search, or self-managed). Words and meaning
 * are asked in parallel, under the same filters, for ids and scores only. What they find is checked against the collection,
 * so that no post appears in an old state. Both scores of each match are exact; the choice of matches is as exact as
 * mongot's nearest neighbours are.
 *
 * mongot lags a little behind the collection, so a new post is missing for a moment: `../index.ts` adds recent posts.
 */
export class MongotIndex
  implements Omit<SearchIndex, "copies" | "rank" | "ready" | "related" | "spellings" | "spots">
{
  readonly #queries: MongotQueries;
  readonly #coverage: Coverage;

  constructor(queries: MongotQueries) {
    this.#queries = queries;
    this.#coverage = new Coverage(queries);
  }

  async match(
    question: Question,
    page: { limit: number; except: ReadonlySet<string>; leftOut?: LeftOut },
  ): Promise<{ matches: Match[]; bestWords: number }> {
    const { filter, vector } = question;
    const found = await this.#enough(question, page);
    const checked = await this.#queries.checked(
      [...new Set([...found.words.keys(), ...found.meaning])],
      filter,
      vector !== null,
    );
    const cosines = new Map<string, number>();
    for (const [id, post] of checked) {
      if (vector !== null && post.vector !== null) cosines.set(id, cosineOf(vector, post.vector));
    }
    const byMeaning = found.meaning.filter(
      (id) => !found.words.has(id) && (cosines.get(id) ?? Number.NEGATIVE_INFINITY) >= found.floor,
    );
    // A post outside `found.words` has none of the words, unless that list was cut off.
    const lateWords = found.more ? await this.#wordsOf(question, byMeaning) : new Map<string, number>();
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
    return { matches: bestMatches(wanted, bestWords, question.words, page.limit), bestWords };
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
      const { found, last } = await this.#listed(question, page.order, after, page.limit);
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
      question.vector === null ? null : this.#candidates(question, LISTED_BY_MEANING, { leftOut }),
    ]);
    if (both === null) return byWords;
    const found = asksWords && both.more ? await this.#wordsOf(question, both.meaning) : both.words;
    const byMeaning = both.meaning.filter((id) => !found.has(id));
    const checked = await this.#queries.checked(byMeaning, question.filter, true);
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
    if (await this.#areKnown({ any: [word], phrases: [], excluded: [] }))
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
  async matching(question: Question, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { filter, vector, words, minCosine } = question;
    const { compound, asksWords, required } = compoundOf(question, { only: ids });
    const [byWords, checked, known] = await Promise.all([
      compound === null ? NONE : this.#queries.words(compound, { limit: ids.length }),
      this.#queries.checked(ids, filter, vector !== null),
      !asksWords || this.#areKnown(words),
    ]);
    const floor = known ? minCosine : minCosine + UNKNOWN_WORDS_MARGIN;
    const near = [...checked].filter(([, post]) => !required && supports(vector, post, floor));
    const nearest = near.map(([id]) => id);
    const withWords = byWords.found.map(({ id }) => id).filter((id) => checked.has(id));
    return new Set([...withWords, ...(await this.#notExcluded(nearest, question))]);
  }

  /** Those of the posts that pass a filter, as the collection holds them now. */
  async passing(filter: PostFilter, ids: readonly string[]): Promise<Set<string>> {
    return new Set((await this.#queries.checked(ids, filter, false)).keys());
  }

  /** Those of the posts that the index of words holds. */
  async holds(ids: readonly string[]): Promise<Set<string>> {
    const { found } = await this.#queries.words({ filter: [oneOf(ids)] }, { limit: ids.length });
    return new Set(found.map(({ id }) => id));
  }

  /** Candidates for a page; asks for more while what is left out makes it short. */
  async #enough(
    question: Question,
    { limit, except, leftOut = NOTHING }: Parameters<MongotIndex["match"]>[1],
  ): Promise<Candidates> {
    const most = Math.min(CANDIDATES_MAX, limit + except.size);
    for (let asked = most; ; asked = Math.min(CANDIDATES_MAX, 2 * asked)) {
      const found = await this.#candidates(question, asked, { leftOut });
      const enough = found.words.size >= most || found.meaning.length >= most;
      if (!found.short || enough || asked === CANDIDATES_MAX) return found;
    }
  }

  /** The candidates of both arms, best first in each. */
  async #candidates(
    question: Question,
    limit: number,
    { leftOut = NOTHING, after }: { leftOut?: LeftOut; after?: Bounds["after"] },
  ): Promise<Candidates> {
    const { vector, minCosine, margin = UNKNOWN_WORDS_MARGIN, words, filter } = question;
    const bounds = { after, without: leftOut.newest(NAMED_MAX) };
    const { compound, asksWords, required } = compoundOf(question, bounds);
    const [byWords, neighbours] = await Promise.all([
      compound === null ? NONE : this.#queries.words(compound, { limit }),
      vector === null || required ? [] : this.#neighbours(vector, filter, limit, bounds),
    ]);
    const known =
      !asksWords || byWords.found.length > 0 || neighbours.length === 0 || (await this.#areKnown(words));
    const floor = known ? minCosine : minCosine + margin;
    const near = neighbours
      .filter(({ id, score }) => score >= floor - TOLERANCE && !leftOut.has(id))
      .map(({ id }) => id);
    const withWords = byWords.found.filter(({ id }) => !leftOut.has(id));
    const isCut = (found: readonly Scored[]) =>
      found.length >= limit && found.some(({ id }) => leftOut.has(id));
    return {
      words: new Map(withWords.map(({ id, score }) => [id, asksWords ? score : 0])),
      meaning: await this.#notExcluded(near, question),
      floor,
      more: byWords.found.length === limit,
      short: isCut(byWords.found) || isCut(neighbours),
    };
  }

  async #neighbours(
    vector: Int8Array,
    filter: PostFilter,
    limit: number,
    { after, without = [] }: Bounds,
  ): Promise<Scored[]> {
    const conditions = [...conditionsOf(filter), ...(after === undefined ? [] : [after.condition])];
    if (without.length > 0) conditions.push({ _id: { $nin: [...without] } });
    if (filter.near === null) return this.#queries.meaning(vector, conditions, limit);
    const { compound } = compoundOf({ filter, words: null, vector: null, minCosine: 0 }, { after, without });
    const { found } = await this.#queries.words(compound ?? {}, { limit: NEAR_MAX + 1, sort: { _id: 1 } });
    if (found.length <= NEAR_MAX) {
      const vectors = await this.#queries.vectors(found.map(({ id }) => id));
      return [...vectors].map(([id, own]) => ({ id, score: cosineOf(vector, own) }));
    }
    return this.#queries.meaning(vector, conditions, Math.min(CANDIDATES_MAX, limit * NEAR_FACTOR));
  }

  /** True when any post has one of the words, whatever the filters. */
  async #areKnown(words: Question["words"]): Promise<boolean> {
    const { must } = clausesOfWords(words);
    const [any] = must;
    return any === undefined || (await this.#queries.words({ must: [any] }, { limit: 1 })).found.length > 0;
  }

  async #notExcluded(ids: string[], { words }: Question): Promise<string[]> {
    if (words === null || words.excluded.length === 0 || ids.length === 0) return ids;
    const compound = { filter: [oneOf(ids), clauseOfExcluded(words)] };
    const { found } = await this.#queries.words(compound, { limit: ids.length });
    const out = new Set(found.map(({ id }) => id));
    return ids.filter((id) => !out.has(id));
  }

  /** Word scores of some posts; posts without a word are left out. */
  async #wordsOf({ words }: Question, ids: readonly string[]): Promise<Map<string, number>> {
    const { must } = clausesOfWords(words);
    if (must.length === 0 || ids.length === 0) return new Map();
    const { found } = await this.#queries.words({ must, filter: [oneOf(ids)] }, { limit: ids.length });
    return new Map(found.map(({ id, score }) => [id, score]));
  }

  /** One step of a list: the places found, and where the next step goes on, null at the end. */
  async #listed(
    question: Question,
    order: "newest" | "soonest",
    from: Place | null,
    limit: number,
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
      question.vector === null ? null : this.#candidates(question, LISTED_BY_MEANING, { after }),
    ]);
    const ids = new Set([...byWords.found.map(({ id }) => id), ...(both?.meaning ?? [])]);
    const checked = await this.#queries.checked([...ids], question.filter, question.vector !== null);
    const placeOf = (id: string, post: { createdAt: number; windowStart: number }): Place => ({
      id,
      at: order === "newest" ? post.createdAt : post.windowStart,
    });
    const goesBefore = (a: Place, b: Place) => direction * (a.at - b.at || (a.id < b.id ? -1 : 1));
    const end = byWords.found.length < limit ? undefined : byWords.found.at(-1);
    const last = end === undefined ? null : placeOf(end.id, end);
    const withWords = new Set(byWords.found.map(({ id }) => id));
    const found = [...checked]
      .filter(([id, post]) => withWords.has(id) || supports(question.vector, post, both?.floor ?? 1))
      .map(([id, post]) => placeOf(id, post))
      // What meaning found beyond that belongs to the next step.
      .filter((place) => last === null || goesBefore(place, last) <= 0 || place.id === last.id);
    return { found: found.sort(goesBefore), last };
  }
}

const NONE: { found: Found[]; total: number } = { found: [], total: 0 };

const supports = (vector: Int8Array | null, { vector: own }: Checked, floor: number) =>
  vector !== null && own !== null && cosineOf(vector, own) >= floor;
