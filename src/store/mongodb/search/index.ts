import type { Collection } from "mongodb";
import type { IndexFeed } from "../../../ports/index-feed.ts";
import type { Question, SearchIndex } from "../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import type { DataOptions, SearchState, StoreLog } from "../../module.ts";
import type { PostDocument } from "../schema/documents.ts";
import { asksOnlyFilters, Lists } from "./collection/index.ts";
import { ListIndexes } from "./collection/indexes.ts";
import { mergeMatches, mergePlaces } from "./merge.ts";
import { Breaker } from "./mongot/breaker.ts";
import { MongotIndex } from "./mongot/index.ts";
import { Indexes } from "./mongot/provisioning.ts";
import { Asks } from "./mongot/queries.ts";
import { Recent } from "./recent.ts";
import { openReplica, type Replica } from "./replica/index.ts";

export type { SearchState } from "../../module.ts";

export interface MongodbIndex extends SearchIndex {
  state(): SearchState;
  close(): Promise<void>;
}

export interface MongodbIndexParts {
  feed: IndexFeed;
  posts: Collection<PostDocument>;
  /** What questions to the collection run in; see `Connection.run`. */
  run: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Where replicas are kept. */
  folder: string;
  /** Tells boards apart. */
  board: string;
  modelId: string | null;
  dimension: number;
  localIndex: DataOptions["localIndex"];
  log: StoreLog;
  /** Epoch milliseconds. */
  now: number;
}

/** The opening waits so long for an index that answers; a large board goes on filling it in the background. */
const PATIENCE_MS = 20_000;
/** A change is looked for here at least this long: mongot is rarely further behind. */
const RECENT_MS = 60_000;
/** And no longer than this, whether mongot has it or not. */
const RECENT_MAX_MS = 10 * 60_000;
/** So many recent posts are kept apart from mongot's; of a board that changes faster, older ones come from mongot. */
const WITHOUT_MAX = 1_000;
const TIDY_EVERY_MS = 10_000;

/**
 * The index of a board in MongoDB: mongot where the database has it, merged with what changed a moment ago; else, and
 * while mongot is away or not built, a replica of this process. Beside mongot, what filters alone say is asked of the
 * collection, whether mongot answers or not.
 *
 * @throws Error with one line for the operator when only recent posts should be kept and there is no mongot
 */
export async function openMongodbIndex(parts: MongodbIndexParts): Promise<MongodbIndex> {
  const { posts, dimension, log } = parts;
  const indexes = new Indexes({ posts, dimension, log });
  await indexes.open();
  if (parts.localIndex === "recent" && indexes.state === "absent") {
    indexes.close();
    throw new Error("LOCAL_INDEX=recent needs a database with search (mongot), and this one has none.");
  }
  const replica = parts.localIndex === "full" ? openReplica(parts) : null;
  const index = new BesideMongodb(parts, indexes, replica);
  if (!index.ready()) await replica?.readyWithin(PATIENCE_MS);
  return index;
}

class BesideMongodb implements MongodbIndex {
  readonly #parts: MongodbIndexParts;
  readonly #indexes: Indexes;
  readonly #replica: Replica | null;
  readonly #mongot: MongotIndex;
  readonly #lists: Lists;
  readonly #listIndexes: ListIndexes;
  readonly #breaker = new Breaker();
  readonly #tidying: NodeJS.Timeout;
  /** Kept from when mongot is first seen. */
  #recent: Recent | null = null;

  constructor(parts: MongodbIndexParts, indexes: Indexes, replica: Replica | null) {
    this.#parts = parts;
    this.#indexes = indexes;
    this.#replica = replica;
    this.#mongot = new MongotIndex(new Asks(parts));
    this.#lists = new Lists(parts);
    this.#listIndexes = new ListIndexes(parts);
    this.#useMongot();
    this.#tidying = setInterval(() => {
      this.#useMongot();
      void this.#tidy();
    }, TIDY_EVERY_MS);
    this.#tidying.unref();
  }

  match(question: Question, page: { limit: number; except: ReadonlySet<string> }) {
    return this.#ask(
      async (recent) => {
        const [large, small] = await Promise.all([
          this.#mongot.match(question, { ...page, without: recent.newest(WITHOUT_MAX) }),
          recent.index.match(question, page),
        ]);
        return mergeMatches(large, small, page.limit);
      },
      (replica) => replica.match(question, page),
    );
  }

  list(question: Question, page: Parameters<SearchIndex["list"]>[1]) {
    return this.#askFilters(
      question,
      () => this.#lists.list(question.filter, page),
      async (recent) => {
        const [large, small] = await Promise.all([
          this.#mongot.list(question, { ...page, without: (id) => recent.has(id) }),
          recent.index.list(question, page),
        ]);
        return mergePlaces(large, small, page.order, page.limit);
      },
      (replica) => replica.list(question, page),
    );
  }

  count(question: Question) {
    return this.#askFilters(
      question,
      () => this.#lists.count(question.filter),
      async (recent) => {
        const [large, small] = await Promise.all([
          this.#mongot.count(question, recent.newest(WITHOUT_MAX)),
          recent.index.count(question),
        ]);
        return large + small;
      },
      (replica) => replica.count(question),
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

  async close(): Promise<void> {
    clearInterval(this.#tidying);
    this.#indexes.close();
    await Promise.all([this.#recent?.close(), this.#replica?.close()]);
  }

  /** Asks the collection what filters alone say, and the replica where that fails; anything else like `#ask`. */
  async #askFilters<T>(
    question: Question,
    lists: () => Promise<T>,
    mongot: (recent: Recent) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    if (!asksOnlyFilters(question) || !this.#listIndexes.ready) return this.#ask(mongot, replica);
    try {
      return await lists();
    } catch (error) {
      if (this.#replica?.ready() !== true) throw error;
      this.#parts.log.warn({ err: error }, "a list of the database failed; the local index answers");
      return replica(this.#replica);
    }
  }

  /** Asks mongot, and the replica where there is no mongot or it fails. */
  async #ask<T>(
    mongot: (recent: Recent) => Promise<T>,
    replica: (replica: Replica) => Promise<T>,
  ): Promise<T> {
    const recent = this.#recent;
    if (recent !== null && this.#indexes.state === "ready" && this.#breaker.allows(performance.now())) {
      try {
        await recent.ownTaken();
        const answer = await mongot(recent);
        this.#breaker.succeeded();
        return answer;
      } catch (error) {
        this.#breaker.failed(performance.now());
        this.#parts.log.warn({ err: error }, "the database's search failed; the local index answers");
        if (this.#replica === null) throw new StoreUnavailable(AWAY, { cause: error });
      }
    }
    if (this.#replica === null) throw new StoreUnavailable(AWAY);
    return replica(this.#replica);
  }

  /** Begins with what is kept beside mongot once that is seen. */
  #useMongot(): void {
    if (this.#indexes.state === "absent") return;
    this.#recent ??= new Recent(this.#parts);
    // Where it does not answer, there may be none.
    void this.#listIndexes.see(this.#indexes.state !== "away");
  }

  async #tidy(): Promise<void> {
    const now = performance.now();
    const usable = this.#indexes.state === "ready" && !this.#breaker.isOpen();
    const held = async (ids: string[]) => (usable ? this.#mongot.holds(ids) : new Set<string>());
    await this.#recent?.tidy(now - RECENT_MS, now - RECENT_MAX_MS, held).catch(() => {});
  }
}

const AWAY = "the database's search does not answer, and there is no index beside it";
