import { setImmediate as nextTurn } from "node:timers/promises";
import type { InboxStore, StoredPublisher } from "../../ports/store/index.ts";

/** What other processes matched is found within this time, by one question for all who wait. */
const LOOK_MS = 500;
const IDS_PER_LOOK = 1_000;
const ENTRIES_PER_READ = 100;
/** This many woken calls look at once. After each look others get their turn, so that a post many wait for holds up nobody. */
const LOOKS_AT_ONCE = 4;
/** This many calls of a process may wait; a waiting call over HTTP holds about 30 KB. */
const MOST = { ofAll: 10_000, ofOnePublisher: 50 } as const;

/** This many calls and streams may wait for one publisher at once. */
export const STREAMS_MAX = MOST.ofOnePublisher;

/** A caller waits for its answer on this connection. */
export interface Line {
  /** The signal is aborted when the caller hangs up. */
  readonly closed: AbortSignal;
  /** Says that the call waits from now on, and no longer counts among those under way. */
  rest(): void;
}

/** A caller may wait for such a page of a list. */
interface Awaited {
  /** True when there is something to tell at once: an item, or that none can come. */
  hasNews: boolean;
  notes: string[];
}

type Ending = "news" | "time" | "hung up" | "full" | "stopping";

const NOTES: Partial<Record<Ending, string>> = {
  full: "Too many calls wait already, so this one did not: ask again in 30 s.",
  stopping: "The board is about to stop, so the wait ended early: ask again.",
};

interface Waiter {
  /** The publisher's inbox ended with this entry when it looked. */
  seen: number;
  end(why: Ending): void;
}

/**
 * Holds calls until their publisher's inbox gets an entry, which every match adds. A waiting call holds no connection of
 * the store, no thread and no place among calls under way. This process's matches wake it at once, those of others at the
 * next look.
 */
export class Waits {
  readonly #inbox: InboxStore;
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #count = 0;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #woken: (() => Promise<void>)[] = [];
  #looking = 0;

  /** @param parts.failed  called with the error of each look that failed; the next one follows all the same */
  constructor(parts: { inbox: InboxStore; failed: (error: unknown) => void }) {
    this.#inbox = parts.inbox;
    this.#failed = parts.failed;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Looks until there is news, or the time is up.
   *
   * @param wait.seconds  0 looks once
   * @param look  reads what the caller asked for
   * @returns what the last look found; with a note when the wait was cut short
   */
  async until<Page extends Awaited>(
    caller: StoredPublisher,
    { seconds, line }: { seconds: number; line: Line | null },
    look: () => Promise<Page>,
  ): Promise<Page> {
    if (seconds === 0) return look();
    const deadline = performance.now() + seconds * 1000;
    for (let isFirst = true, isLast = false; ; isFirst = false) {
      // The place is read before the look, so that nothing is missed that comes after it.
      const seen = await this.newest(caller.id);
      const page = await (isFirst ? look() : this.#inTurn(look));
      if (page.hasNews || isLast) return page;
      const why = await this.#wait(caller.id, seen, deadline - performance.now(), line);
      const note = NOTES[why];
      if (note !== undefined) return { ...page, notes: [...page.notes, note] };
      if (why === "hung up") return page;
      isLast = why === "time";
    }
  }

  /** Gives the place from which `matchesAfter` tells of everything that comes from now on. */
  async newest(publisherId: string): Promise<number> {
    return (await this.#inbox.lastNumbers([publisherId])).get(publisherId) ?? 0;
  }

  /**
   * Tells of new matches as they come, until the time is up, the caller hangs up or is gone, or the board stops.
   * @returns ids of the subscriptions that got a match since the last word
   */
  async *matchesAfter(
    caller: StoredPublisher,
    place: number,
    { seconds, line }: { seconds: number; line: Line },
  ): AsyncGenerator<ReadonlySet<string>, void> {
    const deadline = performance.now() + seconds * 1000;
    for (let after = place; ; ) {
      const left = Math.max(0, (deadline - performance.now()) / 1000);
      const { entries } = await this.until(caller, { seconds: left, line }, async () => {
        const found = await this.#inbox.read(caller.id, after, ENTRIES_PER_READ);
        const isGone = found.length === 0 && !(await this.#inbox.lastNumbers([caller.id])).has(caller.id);
        return { entries: found, hasNews: isGone || found.length > 0, notes: [] };
      });
      const last = entries.at(-1);
      if (last === undefined) return;
      after = last.no;
      const matched = entries.flatMap(({ subscriptionId }) => subscriptionId ?? []);
      if (matched.length > 0) yield new Set(matched);
    }
  }

  /** True when another call of this publisher may wait. */
  admits(publisherId: string): boolean {
    const own = this.#waiting.get(publisherId)?.size ?? 0;
    return !this.#stopping && this.#count < MOST.ofAll && own < MOST.ofOnePublisher;
  }

  /** Something came for these publishers. */
  wake(publisherIds: Iterable<string>): void {
    for (const id of publisherIds) for (const waiter of this.#waiting.get(id) ?? []) waiter.end("news");
  }

  /** Ends every wait, and from now on lets none begin. */
  stop(): void {
    this.#stopping = true;
    for (const waiters of this.#waiting.values()) for (const waiter of waiters) waiter.end("stopping");
  }

  #wait(publisherId: string, seen: number, ms: number, line: Line | null): Promise<Ending> {
    const waiters = this.#waiting.get(publisherId) ?? new Set();
    if (this.#stopping) return Promise.resolve("stopping");
    if (line?.closed.aborted === true) return Promise.resolve("hung up");
    if (!this.admits(publisherId)) return Promise.resolve("full");
    line?.rest();
    return new Promise((resolve) => {
      const end = (why: Ending) => {
        if (!waiters.delete(waiter)) return;
        if (waiters.size === 0) this.#waiting.delete(publisherId);
        this.#count -= 1;
        clearTimeout(timer);
        line?.closed.removeEventListener("abort", hangUp);
        resolve(why);
      };
      const hangUp = () => end("hung up");
      const waiter: Waiter = { seen, end };
      const timer = setTimeout(() => end("time"), ms);
      line?.closed.addEventListener("abort", hangUp);
      waiters.add(waiter);
      this.#waiting.set(publisherId, waiters);
      this.#count += 1;
      this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS);
    });
  }

  /** Looks once it is this call's turn, in the order of waking. */
  #inTurn<Page>(look: () => Promise<Page>): Promise<Page> {
    return new Promise((resolve) => {
      this.#woken.push(async () => {
        const looked = look();
        resolve(looked);
        await looked.catch(() => {});
        await nextTurn();
      });
      if (this.#looking < LOOKS_AT_ONCE) void this.#lookOn();
    });
  }

  async #lookOn(): Promise<void> {
    this.#looking += 1;
    for (let next = this.#woken.shift(); next !== undefined; next = this.#woken.shift()) await next();
    this.#looking -= 1;
  }

  /** Wakes those whose inbox has got an entry, or is gone. */
  async #look(): Promise<void> {
    const ids = [...this.#waiting.keys()];
    try {
      for (let at = 0; at < ids.length; at += IDS_PER_LOOK) {
        const some = ids.slice(at, at + IDS_PER_LOOK);
        const last = await this.#inbox.lastNumbers(some);
        for (const id of some) {
          const newest = last.get(id) ?? Number.POSITIVE_INFINITY;
          for (const waiter of this.#waiting.get(id) ?? []) if (newest > waiter.seen) waiter.end("news");
        }
      }
    } catch (error) {
      this.#failed(error);
    }
    this.#timer = this.#count === 0 ? undefined : setTimeout(() => void this.#look(), LOOK_MS);
  }
}
