import type { Collection } from "mongodb";
import type { Question, RelatedQuestion, SearchIndex } from "../../../ports/search-index.ts";
import { type SettingStore, StoreUnavailable } from "../../../ports/store/index.ts";
import { rankCandidates } from "../../../search/rank.ts";
import type { DataOptions, SearchState } from "../../module.ts";
import type { PostDocument } from "../schema/documents.ts";
import type { MongodbConnection } from "../server/connection.ts";
import { SourceQueries } from "./collection/copies.ts";
import { CollectionQueries, isFilterOnly } from "./collection/index.ts";
import { ListIndexes } from "./collection/indexes.ts";
import { distinctMatches, distinctPlaces } from "./distinct.ts";
import { mergeMatches, mergePlaces } from "./merge.ts";
import { CircuitBreaker } from "./mongot/breaker.ts";
import { MongotIndex } from "./mongot/index.ts";
import { SearchIndexes } from "./mongot/provisioning.ts";
import { CANDIDATES_MAX, MongotQueries } from "./mongot/queries.ts";
import { RecentPosts } from "./recent.ts";
import type { Copied } from "./replica/copies.ts";
import { openReplica, type Replica, type ReplicaOptions } from "./replica/index.ts";

export interface MongodbIndex extends SearchIndex {
  state(): SearchState;
  /** Copies of what the replica finds; null without one, or before it is ready. */
  copied(): Copied | null;
  close(): Promise<void>;
}

export interface MongodbIndexOptions extends ReplicaOptions {
  posts: Collection<PostDocument>;
  /** See `MongodbConnection`. */
  run: MongodbConnection["run"];
  runLong: MongodbConnection["runLong"];
  localIndex: DataOptions["localIndex"];
  /** See `SearchIndexes`. */
  settings: Pick<SettingStore, "get" | "set">;
}

/** How long opening waits for an index that answers; a large board goes on filling it in the background. */
const PATIENCE_MS = 20_000;
/** How long a changed post is searched here at least: mongot rarely lags further behind. */
const RECENT_MS = 60_000;
/** And at most, whether mongot has it or not. */
const RECENT_MAX_MS = 10 * 60_000;
const PRUNE_EVERY_MS = 10_000;
/** Copies are looked for among so many matches of a count. */
const COUNTED_APART = 2_000;

/**
 * The index of a board in MongoDB. Where the database has mongot, that answers, merged with what changed a moment ago, and
 * the collection answers lists and counts by filters alone, even while mongot is away. A replica of this process answers
 * where there is no mongot, and while it is away or being built.
 *
 * @throws Error with one line for the operator when `localIndex` is `recent` and there is no mongot
 */
export async function openMongodbIndex(options: MongodbIndexOptions): Promise<MongodbIndex> {
  const { posts, dimension, log } = options;
  const indexes = new SearchIndexes({ posts, dimension, log, settings: options.settings });
  await indexes.open();
  if (options.localIndex === "recent" && indexes.state === "absent") {
    indexes.close();
    throw new Error("LOCAL_INDEX=recent needs a database with search (mongot), and this one has none.");
  }
  const replica = options.localIndex === "full" ? openReplica(options) : null;
  const index = new CompositeIndex(options, indexes, replica);
  if (!index.ready()) await replica?.readyWithin(PATIENCE_MS);
  return index;
}

class CompositeIndex implements MongodbIndex {
  readonly #options: MongodbIndexOptions;
  readonly #indexes: SearchIndexes;
  readonly #replica: Replica | null;
  readonly #mongot: MongotIndex;
  readonly #lists: CollectionQueries;
  readonly #sources: SourceQueries;
  readonly #listIndexes: ListIndexes;
  readonly #breaker = new CircuitBreaker();
  readonly #pruning: NodeJS.Timeout;
  /** Null until mongot is first seen. */
  #recent: RecentPosts | null = null;

  constructor(options: MongodbIndexOptions, indexes: SearchIndexes, replica: Replica | null) {
    this.#options = options;
    this.#indexes = indexes;
    this.#replica = replica;
    this.#mongot = new MongotIndex(
      new MongotQueries({ ...options, storesFields: () => indexes.storesFields }),
    );
    this.#lists = new CollectionQueries(options);
    this.#sources = new SourceQueries(options, (question, ids) => this.#matching(question, ids));
    this.#listIndexes = new ListIndexes(options);
    this.#useMongot();
    this.#pruning = setInterval(() => {
      this.#useMongot();
      void this.#prune();
    }, PRUNE_EVERY_MS);
    this.#pruning.unref();
  }

  match(question: Question, page: { limit: number; except: ReadonlySet<string> }) {
    return this.#ask(
      async (recent) => {
        const leftOut = recent.since(performance.now());
        const all = { ...question, distinct: false };
        const ask = async (limit: number) => {
          const [large, small] = await Promise.all([
            this.#mongot.match(all, { ...page, limit, leftOut }),
            recent.index.match(all, { ...page, limit }),
          ]);
          return mergeMatches(large, small, question.words, limit);
        };
        return distinctMatches(this.#hiddenIn(question), page.limit, ask);
      },
      (replica) => replica.match(question, page),
    );
  }

  rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]) {
    return this.#ask(
      () =>
        rankCandidates<string>(
          {
            match: async (page) => {
              const { matches, bestWords } = await this.match(question, page);
              return {
                keys: matches.map(({ id }) => id),
                cosines: Float64Array.from(matches, ({ cosine }) => cosine ?? Number.NaN),
                words: Float64Array.from(matches, ({ words }) => words),
                coverage: Float64Array.from(matches, ({ coverage }) => coverage),
                bestWords,
              };
            },
            vectors: (ids) => this.vectors(ids),
            cosines: (vector, ids) => this.cosines(vector, Array.from(ids)),
            fits: async (filter, ids) => {
              const fitting = await this.#mongot.passing(filter, Array.from(ids));
              return Uint8Array.from(ids, (id) => Number(fitting.has(id)));
            },
            idsOf: (ids) => [...ids],
          },
          question,
          options,
        ),
      (replica) => replica.rank(question, options),
    );
  }

  list(question: Question, page: Parameters<SearchIndex["list"]>[1]) {
    return this.#askFilters(
      question,
      () =>
        distinctPlaces(this.#hiddenIn(question), page, (after) =>
          this.#lists.list(question.filter, { ...page, after }),
        ),
      async (recent) => {
        const leftOut = recent.since(performance.now());
        const all = { ...question, distinct: false };
        return distinctPlaces(this.#hiddenIn(question), page, async (after) => {
          const [large, small] = await Promise.all([
            this.#mongot.list(all, { ...page, after, leftOut }),
            recent.index.list(all, { ...page, after }),
          ]);
          return mergePlaces(small, large, page.order, page.limit);
        });
      },
      (replica) => replica.list(question, page),
    );
  }

  copies(question: Question, ids: readonly string[]) {
    const ask = () => this.#sources.copies(question, ids);
    return this.#askFilters(question, ask, ask, (replica) => replica.copies(question, ids));
  }

  /** Beside mongot, copies are taken out among the newest `COUNTED_APART` matches. */
  count(question: Question) {
    const page = { order: "newest", after: null, limit: COUNTED_APART } as const;
    const withoutCopies = async (count: number) => {
      if (question.distinct !== true) return count;
      const newest = await this.list({ ...question, distinct: false }, page);
      return count - (await this.#hiddenIn(question)(newest.map(({ id }) => id))).size;
    };
    return this.#askFilters(
      question,
      async () => withoutCopies(await this.#lists.count(question.filter)),
      async (recent) => {
        const leftOut = recent.since(performance.now());
        const [large, small] = await Promise.all([
          this.#mongot.count(question, leftOut),
          recent.index.count(question),
        ]);
        return withoutCopies(large + small);
      },
      (replica) => replica.count(question),
    );
  }

  /** From the replica's memory where there is one; the collection is read whole. */
  spots(question: Question, limit: number) {
    if (this.#replica?.ready() === true) return this.#replica.spots(question, limit);
    return this.#lists.spots(question.filter, limit);
  }

  /** The replica knows every word; beside mongot alone, its near spellings and those of recent posts are compared. */
  spellings(words: readonly string[]) {
    if (this.#replica?.ready() === true) return this.#replica.spellings(words);
    return this.#ask(
      async (recent) => {
        const near = await Promise.all(words.map((word) => this.#mongot.spelling(word)));
        const own = await recent.index.spellings(words);
        return near.map((meant, at) => (meant.isKnown ? null : (meant.word ?? own[at] ?? null)));
      },
      (replica) => replica.spellings(words),
    );
  }

  related(id: string, asked: RelatedQuestion) {
    return this.#ask(
      async () => {
        const [vector = null] = await this.#mongot.vectors([id]);
        if (vector === null) return [];
        const { filter, minCosine, limit, except } = asked;
        const page = { limit, except: new Set([id, ...except]) };
        const { matches } = await this.match({ filter, words: null, vector, minCosine }, page);
        return matches.map((match) => match.id);
      },
      (replica) => replica.related(id, asked),
    );
  }

  vectors(ids: readonly string[]) {
    return this.#ask(
      () => this.#mongot.vectors(ids),
      (replica) => replica.vectors(ids),
    );
  }

  cosines(vector: Int8Array, ids: readonly string[]) {
    return this.#ask(
      () => this.#mongot.cosines(vector, ids),
      (replica) => replica.cosines(vector, ids),
    );
  }

  ready(): boolean {
    return this.state() !== "building";
  }

  state(): SearchState {
    if (this.#indexes.state === "ready" && this.#recent !== null && !this.#breaker.isOpen()) return "mongot";
    if (this.#replica?.ready() === true) return "local";
    return this.#listIndexes.ready ? "lists" : "building";
  }

  copied(): Copied | null {
    return this.#replica?.copied() ?? null;
  }

  async close(): Promise<void> {
    clearInterval(this.#pruning);
    this.#indexes.close();
    await Promise.all([this.#recent?.close(), this.#replica?.close()]);
  }

  /** Those of some posts that answer a question: recent ones by their index, the others by mongot. */
  async #matching(question: Question, ids: readonly string[]): Promise<Set<string>> {
    const recent = this.#recent;
    if (isFilterOnly(question)) return new Set(ids);
    if (recent === null) throw new StoreUnavailable(AWAY);
    const leftOut = recent.since(performance.now());
    const everything = { limit: CANDIDATES_MAX, except: new Set<string>() };
    const [large, small] = await Promise.all([
      this.#mongot.matching(
        question,
        ids.filter((id) => !leftOut.has(id)),
      ),
      recent.index.match({ ...question, distinct: false }, everything),
    ]);
    return new Set([...large, ...small.matches.map(({ id }) => id)]);
  }

  #hiddenIn(question: Question) {
    return async (ids: readonly string[]): Promise<Set<string>> =>
      question.distinct === true ? this.#sources.hidden(question, ids) : new Set();
  }

  /** Asks the collection when only filters are given, and the replica when that fails; otherwise like `#ask`. */
  async #askFilters<T>(
    question: Question,
    lists: () => Promise<T>,
    mongot: (recent: RecentPosts) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    if (!isFilterOnly(question) || !this.#listIndexes.ready) return this.#ask(mongot, replica);
    try {
      return await lists();
    } catch (error) {
      if (this.#replica?.ready() !== true) throw error;
      this.#options.log.warn({ err: error }, "a list of the database failed; the local index answers");
      return replica(this.#replica);
    }
  }

  /** Asks mongot, or the replica when there is no mongot or it fails. */
  async #ask<T>(
    mongot: (recent: RecentPosts) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    const recent = this.#recent;
    if (recent !== null && this.#indexes.state === "ready" && this.#breaker.allows(performance.now())) {
      try {
        await recent.ownApplied();
        const answer = await mongot(recent);
        this.#breaker.succeeded();
        return answer;
      } catch (error) {
        this.#breaker.failed(performance.now());
        const message =
          this.#replica === null ? AWAY : "the database's search failed; the local index answers";
        this.#options.log.warn({ err: error }, message);
        if (this.#replica === null) throw new StoreUnavailable(AWAY, { cause: error });
      }
    }
    if (this.#replica === null) throw new StoreUnavailable(AWAY);
    return replica(this.#replica);
  }

  /** Once mongot is seen, recent posts and the indexes of lists are kept beside it. */
  #useMongot(): void {
    if (this.#indexes.state === "absent") return;
    this.#recent ??= new RecentPosts(this.#options);
    // While nothing answers, the database may have no mongot.
    void this.#listIndexes.ensure(this.#indexes.state !== "away");
  }

  async #prune(): Promise<void> {
    const now = performance.now();
    const usable = this.#indexes.state === "ready" && !this.#breaker.isOpen();
    const held = async (ids: string[]) => (usable ? this.#mongot.holds(ids) : new Set<string>());
    await this.#recent?.prune(now - RECENT_MS, now - RECENT_MAX_MS, held).catch(() => {});
  }
}

const AWAY = "the database's search does not answer, and there is no index beside it";
