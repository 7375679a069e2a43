import type { Store } from "../../ports/store/index.ts";
import type { SearchQuery } from "../../schema/query.ts";
import { dayOf } from "../resources.ts";
import type { Secrets } from "../secrets.ts";
import { UnmetDemand } from "./unmet-demand.ts";

/** A success may add these to the statistics beyond the call itself: a new post, a new publisher, a search. */
export type Statistic = "posts" | "registrations" | "searches";

/** Describes a success as the statistics see it. */
interface CountedSuccess {
  /** False when the call repeated an earlier one. */
  isNew: boolean;
  /** A search's parsed input is its query. */
  input: Record<string, unknown>;
  /** The data of a search's answer are its page of posts. */
  data: unknown;
  /** One voice; it is not kept. */
  caller: string;
  /** Names the calling program, out of a fixed set. */
  client: string;
}

/** Instruments keep their own counts, and are told of everything that this process does. */
export interface Instruments {
  /** @param ms  how long it took; null where that is not known, or the call waited for news */
  answered(name: string, status: number, ms: number | null): void;
  staged(stage: SearchStage, ms: number): void;
  /** @param isGivenUp  whether the webhook was given up with it */
  pushed(delivered: boolean, isGivenUp: boolean): void;
}

/** A search understands the query, embeds its words, ranks, and reads the rows of its page. */
export type SearchStage = "understand" | "embed" | "rank" | "read";

/**
 * Counts how the board is used, by UTC day and name. No name holds an address, a key or a query. Counts stay in memory
 * until they are written: tallies about every second, retrievals every ten, since they are one write for each post shown;
 * and all at shutdown.
 */
export class Usage {
  /** Its keys are `day name`. */
  readonly #tallies: CounterBuffer;
  /** Its keys are ids of posts. */
  readonly #retrievals: CounterBuffer;
  readonly #demand = new UnmetDemand();
  readonly #searchers: SearcherEstimate;
  readonly #instruments: Partial<Instruments>[] = [];

  constructor({ store, secrets }: { store: Store; secrets: Secrets }) {
    this.#tallies = new CounterBuffer((counts) =>
      store.statistics.add(
        [...counts].map(([key, n]) => ({ day: key.slice(0, 10), name: key.slice(11), n })),
      ),
    );
    this.#retrievals = new CounterBuffer((counts) => store.posts.addRetrievals(counts));
    this.#searchers = new SearcherEstimate((caller) => secrets.addressTag(caller));
  }

  /**
   * Counts an answer.
   * @param name  of the operation, or `tool:<name>` for a tool of the MCP server
   * @param options.client  the calling program, for answers that are also counted by program
   * @param options.ms  see `Instruments`
   */
  answered(
    name: string,
    status: number,
    now: number,
    { client, ms = null }: { client?: string | undefined; ms?: number | null } = {},
  ): void {
    this.#tally(name.startsWith("tool:") ? name : `route:${name}`, now);
    if (status >= 500) this.#tally(`error:${name}`, now);
    if (client !== undefined) this.#tally(`client:${client}`, now);
    for (const instruments of this.#instruments) instruments.answered?.(name, status, ms);
  }

  /** Counts what a success adds beyond its call. */
  succeeded(statistic: Statistic, success: CountedSuccess, now: number): void {
    if (statistic === "searches") this.#searched(success, now);
    else if (success.isNew) {
      this.#tally(statistic, now);
      if (statistic === "registrations") this.#tally(`registered:${success.client}`, now);
    }
  }

  /** Counts an attempt to reach a webhook. */
  pushed(delivered: boolean, now: number, isGivenUp = false): void {
    this.#tally(delivered ? "deliveries" : "delivery_failures", now);
    for (const instruments of this.#instruments) instruments.pushed?.(delivered, isGivenUp);
  }

  /** Resolves to what a stage of a search resolves to, and tells how long it took. */
  async staged<T>(stage: SearchStage, work: Promise<T>): Promise<T> {
    const began = performance.now();
    const done = await work;
    for (const instruments of this.#instruments) instruments.staged?.(stage, performance.now() - began);
    return done;
  }

  /** Tells instruments of everything from now on. */
  listen(instruments: Partial<Instruments>): void {
    this.#instruments.push(instruments);
  }

  /** Resolves when everything counted so far is written. */
  async flush(): Promise<void> {
    await this.#retrievals.flush();
    await this.#tallies.flush();
  }

  /** Writes all but the retrievals of posts. */
  flushTallies(): Promise<void> {
    return this.#tallies.flush();
  }

  /** Every page of a search over REST and MCP counts retrievals of its posts. */
  #searched(success: CountedSuccess, now: number): void {
    for (const { id } of matchesIn(success)) this.#retrievals.add(id);
    this.looked(success, now);
  }

  /** Counts a search, on whatever surface, by its first page. */
  looked({ input, data, caller }: Pick<CountedSuccess, "input" | "data" | "caller">, now: number): void {
    const query = input as SearchQuery;
    if (query.cursor !== undefined) return;
    const day = dayOf(now);
    this.#tally("searches", now);
    const searcher = this.#searchers.seen(caller, day);
    if (searcher !== null) this.#tally(searcher, now);
    if (matchesIn({ data }).length > 0) return;
    this.#tally("zero_results", now);
    for (const name of this.#demand.missed(query, caller, day)) this.#tally(name, now);
  }

  #tally(name: string, now: number): void {
    this.#tallies.add(`${dayOf(now)} ${name}`);
  }
}

/** Gives the posts of a search's answer; weak ones were not found. */
const matchesIn = ({ data }: Pick<CountedSuccess, "data">) =>
  (data as readonly { id: string; weak?: true }[]).filter(({ weak }) => weak !== true);

/** Keeps counts by name in memory until `flush` writes them together. A failed write loses its counts. */
export class CounterBuffer {
  readonly #write: (counts: Map<string, number>) => Promise<void>;
  #counts = new Map<string, number>();
  #writing: Promise<unknown> = Promise.resolve();

  /** @param write  adds counts to the stored ones */
  constructor(write: (counts: Map<string, number>) => Promise<void>) {
    this.#write = write;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Resolves when everything counted so far is written, including by a flush already under way.
   * @throws the error of its own write
   */
  async flush(): Promise<void> {
    const earlier = this.#writing;
    if (this.#counts.size > 0) {
      const written = this.#write(this.#counts);
      this.#counts = new Map();
      this.#writing = Promise.allSettled([earlier, written]);
      await written;
    }
    await earlier;
  }
}

/** Every caller falls into one of these buckets. Four billion addresses share them, so a bucket identifies nobody. */
const BUCKETS = 1024;
/** The counters begin with it: `seeker:417` on a day means that somebody in bucket 417 searched that day. */
export const SEEKER = "seeker:";

/** Estimates how many callers searched over any number of days, from the buckets they fell into. */
export class SearcherEstimate {
  readonly #tag: (caller: string) => string;
  #day = "";
  readonly #noted = new Set<string>();

  /** @param tag  a keyed hash of a text, as `Secrets.addressTag` makes it */
  constructor(tag: (caller: string) => string) {
    this.#tag = tag;
  }

  /** Names the counter to raise for this caller, or null when its bucket is already noted for the day. */
  seen(caller: string, day: string): string | null {
    if (day !== this.#day) {
      this.#day = day;
      this.#noted.clear();
    }
    const bits = Buffer.from(this.#tag(`seeker ${caller}`), "base64url").readUInt16BE(0);
    const name = `${SEEKER}${bits % BUCKETS}`;
    if (this.#noted.has(name)) return null;
    this.#noted.add(name);
    return name;
  }
}

/**
 * Estimates distinct callers behind a number of buckets, by linear counting (Whang, Vander-Zanden and Taylor, "A
 * linear-time probabilistic counting algorithm", TODS 1990). Exact for a few, within 3 % up to 2,000; never above about
 * 7,000.
 */
export function callersBehind(buckets: number): number {
  const empty = Math.max(1, BUCKETS - buckets);
  return Math.round(BUCKETS * Math.log(BUCKETS / empty));
}
