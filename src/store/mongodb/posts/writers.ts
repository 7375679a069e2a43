import { LRUCache } from "lru-cache";
import type { FingerprintRow, InsertGuard } from "../../../ports/store/index.ts";
import type { PublisherDocument } from "../schema/documents.ts";

/** What an insertion depends on of its publisher. */
export interface Writer {
  /** The write misses when one of these has changed. */
  seen: { inserts: number | null; verified_at: Date | null; suspended_at: Date | null };
  /** The publisher's posts within the bounds of a guard, newest first; none when there was no guard. */
  earlier: readonly FingerprintRow[];
  bounds: { since: number; limit: number } | null;
}

/** Posts remembered in all, of some 150 bytes each, and of one publisher; one with more is looked at each time. */
const POSTS_MAX = 50_000;
const POSTS_OF_PUBLISHER_MAX = 100;
/** An import writes posts that no counter tells of: the next look is never later than this. */
const KEPT_MS = 10 * 60_000;

/**
 * The publishers that wrote through this process lately, as the next insertion would find them: it need not look first.
 * Nothing depends on it being right, since the write itself finds out what has changed.
 */
export class RecentWriters {
  readonly #writers = new LRUCache<string, Writer>({
    maxSize: POSTS_MAX,
    sizeCalculation: ({ earlier }) => 1 + earlier.length,
    ttl: KEPT_MS,
  });

  /** Takes a publisher out of memory, if what is remembered is enough for the guard. */
  take(publisherId: string, guard: InsertGuard | undefined): Writer | null {
    const writer = this.#writers.get(publisherId);
    this.#writers.delete(publisherId);
    if (writer === undefined) return null;
    if (guard === undefined) return writer;
    const { bounds, earlier } = writer;
    if (bounds === null || bounds.since > guard.since || bounds.limit < guard.limit) return null;
    const within = earlier.filter(({ createdAt }) => createdAt >= guard.since).slice(0, guard.limit);
    return { ...writer, earlier: within, bounds: guard };
  }

  /** Remembers a publisher as its new post left it. Call it before anything else may insert for that publisher. */
  wrote(
    publisherId: string,
    { seen, earlier, bounds }: Writer,
    { id, fingerprint, createdAt }: FingerprintRow,
  ): void {
    if (earlier.length >= POSTS_OF_PUBLISHER_MAX) return;
    const own = { id, fingerprint, createdAt };
    const all = bounds === null ? [] : [...earlier, own].sort(newestFirst).slice(0, bounds.limit);
    this.#writers.set(publisherId, {
      seen: { ...seen, inserts: (seen.inserts ?? 0) + 1 },
      earlier: all,
      bounds: bounds === null ? null : { since: bounds.since, limit: bounds.limit },
    });
  }

  /** Forgets a publisher that has changed since, as another reading shows. */
  saw({ _id, inserts, verified_at, suspended_at }: PublisherDocument): void {
    const seen = this.#writers.peek(_id)?.seen;
    if (seen === undefined) return;
    const isSame =
      seen.inserts === (inserts ?? null) &&
      seen.verified_at?.getTime() === verified_at?.getTime() &&
      seen.suspended_at?.getTime() === suspended_at?.getTime();
    if (!isSame) this.#writers.delete(_id);
  }
}

const newestFirst = (a: FingerprintRow, b: FingerprintRow): number =>
  b.createdAt - a.createdAt || (b.id < a.id ? -1 : 1);
