import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type LeaseStore, type SettingStore, StoreUnavailable } from "../../ports/store/index.ts";

/** A value that takes longer to read is kept for all processes, and an old one is given while a newer one is read. */
const EXPENSIVE_MS = 50;
/** An expensive value is read so seldom that reading takes at most one part in so many of one process's time. */
const PARTS = 20;
/** A process that stops while it reads keeps the others from reading for so long, or for three times what reading takes. */
const LEASE_MS = 60_000;
/** A caller waits so long at most; the read goes on. Where an old value is kept, it waits less for a newer one. */
const WAIT_MS = 10_000;
const OLD_VALUE_MS = 250;

/** Holds a value, the moment it is of, and how long reading it took. */
interface Kept<T> {
  at: number;
  ms: number;
  value: T;
}

/**
 * Keeps a value that is costly to read and may be slightly old. From half its maximum age on, a call returns the kept value
 * and starts a new read in the background, so under steady traffic no caller waits. The next call retries a failed read.
 *
 * What takes more than 50 ms to read, one process reads for all: it writes the value to the store's settings as JSON, and
 * the others read that. Such a value is renewed when 20 times its reading time has passed, if that is longer than its
 * maximum age. After a quiet time the first caller waits 250 ms at most, and may then get an old one.
 */
export class SharedValue<T> {
  readonly #name: string;
  readonly #read: (now: number) => Promise<T>;
  readonly #maxAgeMs: number;
  readonly #store: { settings: SettingStore; leases: LeaseStore };
  readonly #elapsedMs: () => number;
  readonly #owner = randomUUID();
  #kept: Kept<T> | null = null;
  #reading: Promise<T> | null = null;
  #pausedUntil = 0;

  /**
   * @param parts.name  of the setting and the lease, the same in all processes of a board
   * @param parts.elapsedMs  measures how long reading takes
   */
  constructor(parts: {
    name: string;
    maxAgeMs: number;
    read: (now: number) => Promise<T>;
    store: { settings: SettingStore; leases: LeaseStore };
    elapsedMs?: () => number;
  }) {
    this.#name = parts.name;
    this.#maxAgeMs = parts.maxAgeMs;
    this.#read = parts.read;
    this.#store = parts.store;
    this.#elapsedMs = parts.elapsedMs ?? (() => performance.now());
  }

  /**
   * Gives a value younger than the maximum age, or than twice the time until an expensive one is renewed; an older one when
   * a newer takes longer than 250 ms or the store is away. When none is kept, rejects with the read's error, or after 10 s
   * with `StoreUnavailable`.
   */
  async get(now: number): Promise<T> {
    this.#kept ??= await this.#shared();
    const kept = this.#kept;
    if (kept === null) return this.#renewedInTime(now);
    if (now >= this.#pausedUntil && !this.#isYoung(kept, now)) void this.#renew(now);
    return now - kept.at < 2 * this.#pauseAfter(kept) ? kept.value : this.#renewedOr(kept, now);
  }

  /** Gives a newer value; the kept one when that takes long, or the store is away. */
  async #renewedOr({ value }: Kept<T>, now: number): Promise<T> {
    const answered = new AbortController();
    const late = pause(OLD_VALUE_MS, value, { signal: answered.signal, ref: false });
    try {
      return await Promise.race([this.#renew(now), late]);
    } catch (error) {
      if (error instanceof StoreUnavailable) return value;
      throw error;
    } finally {
      answered.abort();
    }
  }

  #renewedInTime(now: number): Promise<T> {
    const answered = new AbortController();
    const tooLate = pause(WAIT_MS, null, { signal: answered.signal, ref: false }).then(() => {
      throw new StoreUnavailable(`reading ${this.#name} takes longer than a call may`);
    });
    return Promise.race([this.#renew(now), tooLate]).finally(() => answered.abort());
  }

  #renew(now: number): Promise<T> {
    this.#reading ??= this.#newest(now)
      .then((kept) => {
        this.#kept = kept;
        return kept.value;
      })
      .finally(() => {
        this.#reading = null;
      });
    // A caller that waits gets the error. When nobody waits, it must not be an unhandled rejection.
    this.#reading.catch(() => {});
    return this.#reading;
  }

  /** Takes what another process read, where it is young or one is reading just now; otherwise it reads anew. */
  async #newest(now: number): Promise<Kept<T>> {
    const { leases } = this.#store;
    const shared = await this.#shared();
    if (shared === null) return this.#readAndShare(now);
    if (this.#isYoung(shared, now)) return shared;
    const leaseMs = Math.max(LEASE_MS, 3 * shared.ms);
    if ((await leases.acquire(this.#name, this.#owner, leaseMs, now)) === null) {
      this.#pausedUntil = now + this.#maxAgeMs / 2;
      return shared;
    }
    // Expensive reads that fail must not follow each other without a pause.
    this.#pausedUntil = now + this.#pauseAfter(shared);
    try {
      return await this.#readAndShare(now);
    } finally {
      await leases.release(this.#name, this.#owner);
    }
  }

  #isYoung(kept: Kept<T>, now: number): boolean {
    // A process whose clock is ahead may have read it.
    return Math.abs(now - kept.at) < this.#pauseAfter(kept);
  }

  /** A value is read again after this many milliseconds. */
  #pauseAfter(kept: Kept<T>): number {
    return Math.max(this.#maxAgeMs / 2, isExpensive(kept) ? kept.ms * PARTS : 0);
  }

  async #shared(): Promise<Kept<T> | null> {
    const text = await this.#store.settings.get(this.#name);
    return text === null ? null : (JSON.parse(text) as Kept<T>);
  }

  async #readAndShare(now: number): Promise<Kept<T>> {
    const began = this.#elapsedMs();
    const value = await this.#read(now);
    const kept = { at: now, ms: Math.round(this.#elapsedMs() - began), value };
    if (isExpensive(kept)) await this.#store.settings.set(this.#name, JSON.stringify(kept));
    return kept;
  }
}

const isExpensive = ({ ms }: { ms: number }): boolean => ms > EXPENSIVE_MS;
