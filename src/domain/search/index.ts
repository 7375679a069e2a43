import type { Advice } from "../../board/failures.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { Position, Store } from "../../ports/store/index.ts";
import type { Lift, PostFilter } from "../../schema/filter.ts";
import type { Post } from "../../schema/post.ts";
import type { SearchQuery, Sort } from "../../schema/query.ts";
import { distanceKm } from "../../search/ranking/distance.ts";
import { gainsByRerank } from "../../search/ranking/rank.ts";
import type { QueryText } from "../../search/text/query-text.ts";
import type { Usage } from "../board/usage.ts";
import { type Cursors, cutPage } from "../cursors.ts";
import type { Posts } from "../posts/index.ts";
import { withCopies, withDates } from "../posts/stands-for.ts";
import { sha256 } from "../secrets.ts";
import { type Correction, type Corrections, notesOnCorrections, notesOnUnknownWords } from "./corrections.ts";
import { withPlaceDecided } from "./near.ts";
import { adviceOnNothing } from "./no-results.ts";
import {
  appliedJson,
  filterOf,
  isShortWindow,
  noteOnFitting,
  notesOnAsked,
  notesOnBounds,
  notesOnOperators,
  notesOnPlace,
  queryVector,
  sortOf,
  textOfQuery,
} from "./query.ts";
import { isReadAlike, type ReadWords, readWords } from "./reading.ts";
import { notesOnHere, notesOnUnderstood, type Understood } from "./understood/index.ts";
import { PIECE, RelevanceWalks } from "./walks.ts";
import {
  type FoundPost,
  FULL_PAGE,
  isFiltered,
  othersByTime,
  weakResults,
  withoutText,
  withWeakEnd,
} from "./weak.ts";

type RankingMode = "hybrid+rerank" | "hybrid" | "lexical" | "newest" | "soonest";

export const COUNTED_MAX = PIECE;

/** Holds one page of results, with what `meta` says about it. */
export interface SearchPage {
  posts: Post[];
  nextCursor: string | null;
  /** Gives the cursor of the same page, ended behind its first `shown` posts. */
  cursorAt(shown: number): Promise<string | null>;
  /** This many matches come before the page; null behind the thousandth. */
  first: number | null;
  /** Matches are counted to `COUNTED_MAX`. */
  total: number;
  /** This many posts fit the filters alone, where that is more and the matches are few. */
  fitting: number | undefined;
  query: Record<string, unknown>;
  ranking: RankingMode;
  /** These words of `q` were taken for others. */
  corrections: readonly Correction[];
  /** The words say this of place and time, if anything. */
  understood: Understood | undefined;
  notes: Advice[];
}

interface Parts {
  store: Store;
  index: SearchIndex;
  embedder: Embedder;
  cursors: Cursors;
  posts: Posts;
  corrections: Corrections;
  staged: Usage["staged"];
  /** Counts the posts of the board, roughly. */
  activePosts: (now: number) => Promise<number>;
}

/** Searches over the index: choice of ranking, pages that neither repeat nor skip, and advice when nothing is found. */
export class Search {
  readonly #parts: Parts;
  readonly #walks: RelevanceWalks;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { index, cursors } = parts;
    this.#walks = new RelevanceWalks({
      index,
      cursors,
      posts: parts.store.posts,
      rankings: parts.store.rankings,
    });
  }

  /**
   * @param options.datedOnly  only posts with a start, for calendars
   * @param options.advice  false leaves out what is for callers who look around: weak results, the advice when nothing is
   *   found, which costs a few more searches, and the count of what lies behind the page
   * @param options.gone  aborted when nobody waits for the answer any more
   * @throws BoardError `invalid_cursor`, and `invalid_query` for a place that cannot be told from others of its name
   */
  async run(
    sent: SearchQuery,
    now: number,
    options: { datedOnly?: boolean; advice?: boolean; gone?: AbortSignal | undefined } = {},
  ): Promise<SearchPage> {
    const { datedOnly = false, advice = true, gone } = options;
    const query = await withPlaceDecided(this.#parts.index, sent, now, "near");
    const { staged } = this.#parts;
    const plan = await staged("understand", this.#plan(query, now, datedOnly));
    const { read } = plan;
    plan.question.gone = gone;
    const ranked =
      plan.sort === "relevance"
        ? this.#walks.page(plan, query, now)
        : this.#byTime(plan, plan.sort, query, advice);
    const page = await staged("rank", ranked);
    const isFirst = advice && query.cursor === undefined;
    const isRanked = isFirst && plan.sort === "relevance";
    const fitting =
      isFirst && plan.asksWords && isFiltered(query) && page.total < query.limit
        ? await this.#parts.index.ask("count", withoutText(plan.question))
        : null;
    // All that fit the filters follow where the page holds them; who filters well may have said all with it.
    const most = fitting !== null && fitting <= query.limit ? fitting : Math.min(FULL_PAGE, query.limit);
    const weak = isRanked
      ? await weakResults(this.#parts.index, plan, page.found, most)
      : await othersByTime(
          this.#parts.index,
          plan,
          page.found,
          fitting !== null && fitting <= query.limit ? fitting : 0,
        );
    const found = [...page.found, ...weak];
    const endsWeak = advice && plan.sort === "relevance" && plan.question.vector !== null && found.length > 0;
    // All three are asked together: what one question waits for is mostly its turn.
    const [shown, vectors, unknown] = await Promise.all([
      staged("read", this.#shown(found, plan.question)),
      endsWeak ? vectorsOf(this.#parts.index, found) : new Map<string, never>(),
      isRanked && found.length > 0 ? notesOnUnknownWords(this.#parts.index, plan) : [],
    ]);
    const posts = endsWeak ? withWeakEnd(this.#parts.embedder, plan, shown, vectors) : shown;
    const asksAdvice = isFirst && page.found.length === 0;
    const notes: Advice[] = [
      ...(isFirst && plan.asksWords && this.#parts.embedder.state() === "loading" ? [STILL_LOADING] : []),
      ...notesOnCorrections(read.corrections),
      ...(asksAdvice ? await this.#adviceOn(plan, query) : []),
      ...(posts.length > 0 ? unknown : []),
      ...(read.whole === null ? [] : notesOnOperators(read.whole)),
      ...(plan.bounds === null || plan.sort !== "relevance" ? [] : notesOnAsked(plan.bounds, RANKED_LOWER)),
      ...notesOnPlace(query),
      ...notesOnUnderstood(read.understood, query),
      ...notesOnHere(read.here, query),
      ...notesOnBounds(query),
      ...(fitting !== null && fitting > page.total ? [noteOnFitting(fitting)] : []),
    ];
    return {
      posts,
      nextCursor: page.nextCursor,
      cursorAt: async (shown) => {
        const at = page.found.findIndex(({ id }) => id === posts[shown - 1]?.id);
        // Behind the matches come weak posts, and nothing continues these.
        return at < 0 ? null : page.cursorAt(at + 1);
      },
      first: page.first,
      total: Math.min(page.total, COUNTED_MAX),
      fitting: fitting !== null && fitting > page.total ? fitting : undefined,
      query: appliedJson({ ...query, q: read.text ?? undefined }, plan.sort, plan.question.filter),
      ranking: plan.mode,
      corrections: read.corrections,
      understood: Object.keys(read.understood).length === 0 ? undefined : read.understood,
      notes,
    };
  }

  /** Works out what is asked: words, meaning, order. @param known  its words, where they are read already */
  async #plan(query: SearchQuery, now: number, datedOnly: boolean, known?: ReadWords): Promise<Plan> {
    const read = known ?? (await readWords(query, textOfQuery(query), now, this.#parts));
    const { whole, subject, lifts: said, publishers, isName } = read;
    const filter = { ...filterOf(query, now), ...(datedOnly ? { datedOnly } : {}) };
    const asksWords = whole !== null && (whole.any.length > 0 || whole.phrases.length > 0);
    // By meaning, a name ranks nothing.
    const sort = isName && query.sort === undefined ? "newest" : sortOf(query, asksWords);
    // What is over is left out, unless the past is asked for.
    const asksPast = filter.includeExpired || (filter.before !== null && filter.before <= now);
    const isBounded = sort === "soonest" && filter.after === null && !asksPast;
    // The query is taken before the bound is set to this moment: a cursor names the same list at every page.
    const sent = appliedJson(query, sort, filter);
    if (isBounded) filter.after = now;
    // As words, place and time still find the posts that name them.
    const parsed = whole === null || subject === null ? null : { ...whole, plain: subject.plain, publishers };
    // Posts that fit place and time may match the subject less closely.
    const { scale } = this.#parts.embedder;
    const minCosine = scale.minCosine - (said.length > 0 ? scale.margin : 0);
    const asksTime = filter.after !== null || filter.before !== null;
    const lifts = asksTime ? said : [...said, { filter: { endedBy: now, datedOnly: true }, weight: OVER }];
    // Whoever lists by time, or asks for a few days, wants each date of a series. "The next 14 days" end with the fifteenth.
    const asksDays = isShortWindow(filter) || said.some((lift) => isShortWindow(lift.filter, 15));
    const nextDates = sort === "relevance" && !asksDays;
    const vector = asksWords && !isName ? await this.#vectorOf(parsed?.plain ?? "") : null;
    const rerank = (query.rerank ?? true) && parsed !== null && gainsByRerank(parsed);
    const byWords = vector === null ? "lexical" : rerank ? "hybrid+rerank" : "hybrid";
    return {
      question: { filter, words: parsed, vector, minCosine, margin: scale.margin, distinct: true, nextDates },
      read,
      // A name is no word that posts should have.
      subject: publishers.length > 0 ? [] : (subject?.any ?? []),
      sort,
      rerank,
      lifts,
      bounds: whole?.bounds ?? null,
      asksWords,
      mode: sort === "relevance" ? byWords : sort,
      // A cursor is good for the same filters and the same order, whatever the page size. The text is as typed: the next
      // page continues the same ranking though the board may know the word by then.
      list: sha256(JSON.stringify({ ...sent, limit: 0, ...(datedOnly ? { datedOnly } : {}) })).slice(0, 12),
    };
  }

  #vectorOf(text: string): Promise<Int8Array | null> {
    return this.#parts.staged("embed", queryVector(this.#parts.embedder, text));
  }

  /** Pages by keyset: posts that arrive meanwhile come before (newest) or anywhere after (soonest) the last place. */
  async #byTime(
    plan: Plan,
    order: "newest" | "soonest",
    query: SearchQuery,
    counts: boolean,
  ): Promise<Found> {
    const { cursors, index } = this.#parts;
    const after = cursors.readPosition(plan.list, query.cursor);
    const first = cursors.readShown(plan.list, query.cursor);
    const { places, total } = await index.ask("page", plan.question, {
      order,
      after,
      limit: query.limit + 1,
      most: counts && first < COUNTED_MAX ? COUNTED_MAX : 0,
    });
    const { shown, last } = cutPage(places, query.limit);
    const relevance = await this.#relevanceOf(shown, plan);
    const cursorAt = async (count: number) => {
      const place = count < shown.length ? shown[count - 1] : last;
      return place == null ? null : cursors.writePosition(plan.list, place, first + count);
    };
    return {
      found: shown.map(({ id }, n) => ({ id, relevance: relevance?.[n] ?? null })),
      nextCursor: await cursorAt(shown.length),
      cursorAt,
      first,
      total: Math.max(total ?? 0, first + shown.length),
    };
  }

  /**
   * Takes the relevance of posts that are listed by time from a ranking of the best thousand; a post behind these gets the last.
   * Null without a text.
   */
  async #relevanceOf(
    posts: readonly Position[],
    { question, rerank, lifts, asksWords }: Plan,
  ): Promise<number[] | null> {
    if (!asksWords || posts.length === 0) return asksWords ? [] : null;
    const ranked = await this.#parts.index.ask("rank", question, { rerank, limit: PIECE, lifts });
    const relevance = new Map(ranked.map((post) => [post.id, post.relevance]));
    const least = ranked.at(-1)?.relevance ?? 0;
    return posts.map(({ id }) => relevance.get(id) ?? least);
  }

  /** Gives found ids as posts, without those removed, hidden, expired or suspended since the ranking. */
  async #shown(found: readonly FoundPost[], question: Plan["question"]): Promise<Post[]> {
    const { filter } = question;
    const places = new Map(found.map((post) => [post.id, post]));
    const rows = await this.#parts.store.posts.many(found.map((post) => post.id));
    const visible = rows.filter((row) => filter.includeExpired || row.expiresAt > filter.now);
    const { index } = this.#parts;
    const shown = await withCopies(index, await this.#parts.posts.shown(visible), question);
    const posts = question.nextDates === true ? await withDates(index, shown, filter) : shown;
    return posts.map((post) => {
      const { relevance: score = null, weak = false } = places.get(post.id) ?? {};
      const { lat, lng } = post.location ?? { lat: null, lng: null };
      return {
        ...post,
        ...(filter.near === null || lat === null || lng === null
          ? {}
          : { distance_km: Math.round(distanceKm(filter.near, { lat, lng }) * 10) / 10 }),
        ...(score === null ? {} : { relevance: score }),
        ...(weak ? { weak } : {}),
      };
    });
  }

  #adviceOn({ question, read }: Plan, query: SearchQuery): Promise<Advice[]> {
    const { now, datedOnly = false } = question.filter;
    return adviceOnNothing(this.#parts, question, query, async (relaxed) => {
      const known = isReadAlike(relaxed, query) ? read : undefined;
      const plan = await this.#plan(relaxed, now, datedOnly, known);
      return this.#parts.index.ask("count", { ...plan.question, gone: question.gone });
    });
  }
}

async function vectorsOf(index: SearchIndex, posts: readonly FoundPost[]) {
  const ids = posts.map(({ id }) => id);
  const vectors = await index.ask("vectors", ids);
  return new Map(ids.map((id, at) => [id, vectors[at] ?? null]));
}

/**
 * Moves a post that is over behind those to come that answer about as well, unless a bound of time is given. Chosen among 0,
 * -0.1, -0.2 and -0.5: with -0.5 a post that was asked for by its name fell behind posts that hardly answer.
 */
const OVER = -0.2;

const STILL_LOADING =
  "The language model is still loading, so this went by words only, for some seconds more: ask again.";

const RANKED_LOWER = { price: "rank lower", unwanted: "posts with it rank lower" };

interface Plan {
  read: ReadWords;
  question: Question & { filter: PostFilter; words: QueryText | null };
  /** Holds words of the subject: neither place nor time. */
  subject: readonly string[];
  sort: Sort;
  rerank: boolean;
  /** The words of the query move posts by them, beside what they mean. */
  lifts: readonly Lift[];
  bounds: QueryText["bounds"] | null;
  /** True with words or phrases; exclusions alone rank nothing. */
  asksWords: boolean;
  mode: RankingMode;
  list: string;
}

interface Found {
  found: FoundPost[];
  nextCursor: string | null;
  cursorAt(shown: number): Promise<string | null>;
  first: number | null;
  total: number;
}
