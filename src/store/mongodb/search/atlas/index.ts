import type { Answered, Answering, Ask, Question, SearchIndex } from "../../../../ports/search-index.ts";
import type { Position } from "../../../../ports/store/index.ts";
import { coverageFactors, fuse, rankCandidates } from "../../../../search/ranking/rank.ts";
import { cosineOf } from "../../../../search/ranking/vectors.ts";
import { meantWord } from "../../../../search/text/spelling.ts";
import { comparableWords } from "../../../../search/text/tokens.ts";
import type { SearchState } from "../../../module.ts";
import { findConditionsOf, ORDERS } from "../filters.ts";
import { type Candidates, candidatesFor } from "./candidates.ts";
import type { SearchedStore, SearchIndexes } from "./indexes.ts";
import { copiesAmong, copiesOf, isFilterOnly, Lists } from "./lists.ts";
import { AtlasQueries, CANDIDATES_MAX } from "./queries.ts";
import { datesBeside, laterDates } from "./series.ts";
import { clauseOfNear } from "./words.ts";

/** A list in order of time, and a count, consider this many posts by words and as many by meaning. */
const LISTED = 2_000;
/** This many posts with near spellings are read to learn how they spell. */
const SPELT_IN_MAX = 50;

type Page = Parameters<Answered["list"]>[1];

/**
 * Searches by mongot, the database's own search process (Atlas Search and Vector Search, or self-managed), and by the
 * collection: that answers what only filters ask, and gives every found post as it is now.
 */
export class AtlasIndex implements SearchIndex, Answering {
  readonly #indexes: SearchIndexes;
  readonly #queries: AtlasQueries;
  readonly #lists: Lists;

  constructor(store: SearchedStore, indexes: SearchIndexes, modelId: string | null) {
    this.#indexes = indexes;
    this.#queries = new AtlasQueries(store, indexes, modelId);
    this.#lists = new Lists(store, indexes);
  }

  readonly ask: Ask = async (what, ...of) => (this as Answering)[what](...of);

  ready(): boolean {
    return this.#indexes.listsReady;
  }

  state(): SearchState {
    if (!this.ready()) return "building";
    return this.#indexes.state === "ready" ? "atlas" : "lists";
  }

  async close(): Promise<void> {
    this.#indexes.close();
  }

  async rank({ like, ...asked }: Question, options: Parameters<Answered["rank"]>[1]) {
    const [vector = null] = like === undefined ? [asked.vector] : await this.vectors([like]);
    if (like !== undefined && vector === null) return [];
    const question = { ...asked, vector };
    const vectors = new Map<string, Int8Array | null>();
    const vectorsOf = (ids: readonly string[]) => ids.map((id) => vectors.get(id) ?? null);
    return rankCandidates<string>(
      {
        match: async (page) => {
          const { found, bestWords } = await this.#best(question, page);
          for (const { id, vector } of found) vectors.set(id, vector);
          return {
            keys: found.map(({ id }) => id),
            cosines: Float64Array.from(found, ({ cosine }) => cosine ?? Number.NaN),
            words: Float64Array.from(found, ({ words }) => words),
            coverage: Float64Array.from(found, ({ coverage }) => coverage),
            bestWords,
          };
        },
        vectors: vectorsOf,
        cosines: (vector, ids) =>
          Float64Array.from(vectorsOf(Array.from(ids)), (own) =>
            own === null ? Number.NaN : cosineOf(vector, own),
          ),
        fits: async (filter, ids) => {
          const fitting = await this.#queries.posts(Array.from(ids), findConditionsOf(filter), { _id: 1 });
          const there = new Set(fitting.map(({ _id }) => _id));
          return Uint8Array.from(ids, (id) => Number(there.has(id)));
        },
        idsOf: (ids) => [...ids],
      },
      question,
      options,
    );
  }

  async list(question: Question, page: Page): Promise<Position[]> {
    if (isFilterOnly(question)) return this.#lists.list(question, page);
    const { found } = await this.#candidates(question, LISTED, page);
    const { path, direction } = ORDERS[page.order];
    return found
      .map(({ id, post }) => ({ id, at: post[path].getTime() }))
      .sort((a, b) => direction * (a.at - b.at || (a.id < b.id ? -1 : 1)))
      .slice(0, page.limit);
  }

  async page(question: Question, { most, ...page }: Page & { most: number }) {
    const places = await this.list(question, page);
    const ends = most === 0 || places.length < page.limit;
    return { places, total: ends ? null : await this.count(question, most) };
  }

  /** Finds posts with the source of others that pass the filter, whether or not they have the words. */
  async copies({ filter }: Question, ids: readonly string[]): Promise<string[][]> {
    const own = new Map((await this.#lists.sourced(ids)).map((post) => [post._id, post]));
    const all = await this.#lists.sharing(filter, [...own.values()]);
    return ids.map((id) => copiesOf(own.get(id), all));
  }

  laterDates(...asked: Parameters<Answered["laterDates"]>): Promise<Position[][]> {
    return laterDates(this.#queries, ...asked);
  }

  /** With words or a vector, matches by meaning alone are counted up to 2,000. */
  async count(question: Question, most?: number): Promise<number> {
    if (isFilterOnly(question)) return this.#lists.count(question, most);
    const { found, unread } = await this.#candidates(question, LISTED);
    return Math.min(most ?? Number.POSITIVE_INFINITY, found.length + unread);
  }

  spots({ filter }: Question, limit: number) {
    return this.#lists.spots(filter, limit);
  }

  spellings(words: readonly string[]): Promise<(string | null)[]> {
    return Promise.all(words.map((word) => this.#spelling(word)));
  }

  async unknownWords(words: readonly string[]): Promise<string[]> {
    const counts = await Promise.all(words.map((word) => this.#queries.count(word)));
    return words.filter((_, at) => counts[at] === 0);
  }

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    const posts = await this.#queries.posts(ids, [{ state: "active" }], { vec: 1, vec_model: 1 });
    const found = new Map(posts.map((post) => [post._id, this.#queries.vectorOf(post)]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /** Finds the best matches by their fused score, equal ones by id. */
  async #best(
    question: Question,
    { limit, except }: { limit: number; except: ReadonlySet<string> },
  ): Promise<Candidates> {
    const asked = Math.min(CANDIDATES_MAX, limit + except.size);
    const { found, bestWords, unread } = await this.#candidates(question, asked);
    const factors = coverageFactors(question.words);
    const best = found
      .filter(({ id }) => !except.has(id))
      .map((match) => ({ match, score: fuse(match.cosine, match, bestWords, factors) }))
      .sort((a, b) => b.score - a.score || (a.match.id < b.match.id ? -1 : 1))
      .slice(0, limit);
    return { found: best.map(({ match }) => match), bestWords, unread };
  }

  /** Leaves one of the matches with one source where the question is `distinct`, and one of a series where it asks for `nextDates`. */
  async #candidates(question: Question, limit: number, list?: Page): Promise<Candidates> {
    const bounds = { limit, ...(list === undefined ? {} : { list }) };
    const { distinct, nextDates, filter } = question;
    const isCut = list !== undefined && list.after !== null && (distinct === true || nextDates === true);
    // What an earlier page has shown is not shown again by a copy, or by another date.
    const [{ found, ...rest }, earlier] = await Promise.all([
      candidatesFor(this.#queries, question, bounds),
      isCut ? candidatesFor(this.#queries, question, { limit, list: { ...list, after: null } }) : null,
    ]);
    const all = [...(earlier?.found ?? []), ...found];
    const posts = [...new Map(all.map(({ id, post }) => [id, post])).values()];
    const hidden = new Set([
      ...(distinct === true ? copiesAmong(posts, posts) : []),
      ...(nextDates === true ? datesBeside(posts, filter.now) : []),
    ]);
    return { ...rest, found: found.filter(({ id }) => !hidden.has(id)) };
  }

  /** Finds the word that was most likely meant; null when a post has it, or none is near. */
  async #spelling(word: string): Promise<string | null> {
    const [typed, another] = comparableWords(word);
    if (typed === undefined || another !== undefined || (await this.#queries.count(word)) > 0) return null;
    const { scores } = await this.#queries.words({ must: [clauseOfNear(typed)] }, { limit: SPELT_IN_MAX });
    const posts = new Map<string, number>();
    for (const { title, body, tags, place } of await this.#queries.posts(
      [...scores.keys()],
      [{ state: "active" }],
    )) {
      const text = [title, body, ...tags, place?.name ?? ""].join(" ");
      for (const spelt of new Set(comparableWords(text))) {
        if (spelt.charAt(0) === typed.charAt(0)) posts.set(spelt, (posts.get(spelt) ?? 0) + 1);
      }
    }
    return meantWord(
      typed,
      Array.from(posts, ([spelt, count]) => ({ word: spelt, posts: count })),
    );
  }
}
