import type { Collection } from "mongodb";
import type { Question, RelatedQuestion, SearchIndex } from "../../../ports/search-index.ts";
import { type SettingStore, StoreUnavailable } from "../../../ports/store/index.ts";
import type { DataOptions, SearchState } from "../../module.ts";
import type { MongodbConnection } from "../database/connection.ts";
import type { PostDocument } from "../database/schema/documents.ts";
import { CollectionQueries, isFilterOnly } from "./collection/index.ts";
import { ListIndexes } from "./collection/indexes.ts";
import { SourceQueries } from "./collection/sources.ts";
import { distinctPlaces, hiddenOfNewest } from "./distinct.ts";
import { MergedIndex, RECENT_MS } from "./merged.ts";
import { CircuitBreaker } from "./mongot/breaker.ts";
import { MongotIndex } from "./mongot/index.ts";
import { SearchIndexes } from "./mongot/provisioning.ts";
import { MongotQueries } from "./mongot/queries.ts";
import { RecentPosts } from "./recent.ts";
import { openReplica, type Replica, type ReplicaOptions } from "./replica/index.ts";
import { copiesAmong, copiesOf, type SourceLookups } from "./sources.ts";

export interface MongodbIndex extends SearchIndex {
  state(): SearchState;
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
  /** Milliseconds that never go back. */
  clock?: () => number;
}

/** How long opening waits for an index that answers; a large board goes on filling it in the background. */
const PATIENCE_MS = 20_000;
/** How long a changed post is searched here at most, whether mongot has it or not. */
const RECENT_MAX_MS = 10 * 60_000;
const PRUNE_EVERY_MS = 10_000;

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
  readonly #clock: () => number;
  readonly #indexes: SearchIndexes;
  readonly #replica: Replica | null;
  readonly #queries: MongotQueries;
  readonly #mongot: MongotIndex;
  readonly #lists: CollectionQueries;
  readonly #sources: SourceQueries;
  readonly #listIndexes: ListIndexes;
  readonly #breaker = new CircuitBreaker();
  readonly #pruning: NodeJS.Timeout;
  /** Null until mongot is first seen. */
  #beside: { recent: RecentPosts; merged: MergedIndex } | null = null;

  constructor(options: MongodbIndexOptions, indexes: SearchIndexes, replica: Replica | null) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#indexes = indexes;
    this.#replica = replica;
    this.#queries = new MongotQueries({ ...options, storesFacts: () => indexes.storesFacts });
    this.#mongot = new MongotIndex(this.#queries);
    this.#lists = new CollectionQueries(options);
    this.#sources = new SourceQueries(options);
    this.#listIndexes = new ListIndexes(options);
    this.#useMongot();
    this.#pruning = setInterval(() => {
      this.#useMongot();
      void this.#prune();
    }, PRUNE_EVERY_MS);
    this.#pruning.unref();
  }

  match(question: Question, page: Parameters<SearchIndex["match"]>[1]) {
    return this.#ask(
      (merged) => merged.match(question, page),
      (replica) => replica.match(question, page),
    );
  }

  rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]) {
    return this.#ask(
      (merged) => merged.rank(question, options),
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
      (merged) => merged.list(question, page),
      (replica) => replica.list(question, page),
    );
  }

  copies(question: Question, ids: readonly string[]) {
    return this.#askFilters(
      question,
      () => copiesOf(this.#lookups, question, ids),
      (merged) => merged.copies(question, ids),
      (replica) => replica.copies(question, ids),
    );
  }

  count(question: Question) {
    return this.#askFilters(
      question,
      async () => {
        const count = await this.#lists.count(question.filter);
        if (question.distinct !== true) return count;
        const newest = (page: Parameters<SearchIndex["list"]>[1]) => this.#lists.list(question.filter, page);
        return count - (await hiddenOfNewest(this.#hiddenIn(question), newest));
      },
      (merged) => merged.count(question),
      (replica) => replica.count(question),
    );
  }

  /** From the replica's memory where there is one; the collection is read whole. */
  spots(question: Question, limit: number) {
    if (this.#replica?.ready() === true) return this.#replica.spots(question, limit);
    return this.#lists.spots(question.filter, limit);
  }

  /** The replica knows every word; without one, mongot is asked. */
  spellings(words: readonly string[]) {
    if (this.#replica?.ready() === true) return this.#replica.spellings(words);
    return this.#ask(
      (merged) => merged.spellings(words),
      (replica) => replica.spellings(words),
    );
  }

  related(id: string, asked: RelatedQuestion) {
    return this.#ask(
      (merged) => merged.related(id, asked),
      (replica) => replica.related(id, asked),
    );
  }

  /** From the replica's memory, or else the collection; mongot is not asked. */
  vectors(ids: readonly string[]) {
    return this.#replica?.ready() === true ? this.#replica.vectors(ids) : this.#mongot.vectors(ids);
  }

  cosines(vector: Int8Array, ids: readonly string[]) {
    return this.#replica?.ready() === true
      ? this.#replica.cosines(vector, ids)
      : this.#mongot.cosines(vector, ids);
  }

  ready(): boolean {
    return this.state() !== "building";
  }

  state(): SearchState {
    if (this.#indexes.state === "ready" && this.#beside !== null && !this.#breaker.isOpen()) return "mongot";
    if (this.#replica?.ready() === true) return "local";
    return this.#listIndexes.ready ? "lists" : "building";
  }

  async close(): Promise<void> {
    clearInterval(this.#pruning);
    this.#indexes.close();
    await Promise.all([this.#beside?.recent.close(), this.#replica?.close()]);
  }

  #hiddenIn(question: Question) {
    return async (ids: readonly string[]): Promise<Set<string>> =>
      question.distinct === true ? copiesAmong(this.#lookups, question, ids) : new Set();
  }

  /** For questions of filters alone. */
  get #lookups(): SourceLookups {
    const sources = this.#sources;
    return {
      of: (ids) => sources.of(ids),
      sharing: (filter, wanted) => sources.sharing(filter, wanted),
      matching: async (_question, ids) => new Set(ids),
    };
  }

  /** Asks the collection when only filters are given, and the replica when that fails; otherwise like `#ask`. */
  async #askFilters<T>(
    question: Question,
    lists: () => Promise<T>,
    merged: (merged: MergedIndex) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    if (!isFilterOnly(question) || !this.#listIndexes.ready) return this.#ask(merged, replica);
    try {
      return await lists();
    } catch (error) {
      if (this.#replica?.ready() !== true) throw error;
      this.#options.log.warn({ err: error }, "a list of the database failed; the local index answers");
      return replica(this.#replica);
    }
  }

  /**
   * Asks mongot, or the replica when there is no mongot or it fails. All that one question asks mongot counts once for the
   * breaker, so nothing that runs inside may come here again.
   */
  async #ask<T>(
    mongot: (merged: MergedIndex) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    const beside = this.#indexes.state === "ready" ? this.#beside : null;
    const attempt = beside === null ? null : this.#breaker.attempt(this.#clock());
    if (beside !== null && attempt !== null) {
      const asked = this.#queries.asked;
      try {
        await beside.recent.ownApplied();
        const answer = await mongot(beside.merged);
        if (this.#queries.asked > asked) attempt.succeeded();
        else attempt.passedBy();
        return answer;
      } catch (error) {
        attempt.failed(this.#clock());
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
    this.#beside ??= this.#followed();
    // While nothing answers, the database may have no mongot.
    void this.#listIndexes.ensure(this.#indexes.state !== "away");
  }

  #followed(): { recent: RecentPosts; merged: MergedIndex } {
    const recent = new RecentPosts({ ...this.#options, clock: this.#clock });
    const merged = new MergedIndex({
      mongot: this.#mongot,
      sources: this.#sources,
      recent,
      isCurrent: () => this.#indexes.areCurrent,
    });
    return { recent, merged };
  }

  async #prune(): Promise<void> {
    const latest = this.#clock() - RECENT_MAX_MS;
    const usable = this.#indexes.state === "ready" && !this.#breaker.isOpen();
    // Whoever cannot be asked may lack them.
    const since = usable ? this.#clock() - RECENT_MS : latest;
    const held = async (ids: string[]) => (usable ? this.#mongot.holds(ids) : new Map<string, number>());
    await this.#beside?.recent.prune(since, latest, held).catch(() => {});
  }
}

const AWAY = "the database's search does not answer, and there is no index beside it";
