import { setImmediate as nextTurn } from "node:timers/promises";
import type { DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";

/** Collects writes and commits many of them together. */
export interface Writer {
  /** @param syncs  false where a loss of power may take the write back, see `SqliteConnection.writeRelaxed` */
  write<T>(job: () => T, syncs?: boolean): Promise<T>;
  /** Commits what is queued; later writes are rejected. */
  close(): Promise<void>;
}

/** These bound one transaction: its jobs, and how long it may hold the event loop and the lock, in milliseconds. */
const BATCH_JOBS = 256;
const BATCH_MS = 20;
/** Writes that may wait; with more, the disk is hopelessly behind. */
const QUEUE_JOBS = 20_000;

interface Job {
  syncs: boolean;
  run(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * A commit costs one flush to disk, whatever its size, so all jobs queued in one turn of the event loop share a transaction.
 * Each has a savepoint of its own: a job that throws undoes itself and nothing else. One that syncs makes its transaction do so.
 *
 * @param options.setSyncing  says whether commits wait for the disk; it is not called inside a transaction
 * @param options.retryBusy  calls again while another process holds the write lock
 * @param options.committed  called after each commit, before the writes in it resolve
 * @param options.refusal  why nothing should be written; asked before each transaction, and again before it is acknowledged
 */
export function createWriter(
  db: DatabaseSyncInstance,
  {
    setSyncing,
    retryBusy,
    committed,
    refusal,
  }: {
    setSyncing: (syncs: boolean) => void;
    retryBusy: <T>(ask: () => T) => Promise<T>;
    committed: () => void;
    refusal: () => StoreUnavailable | null;
  },
): Writer {
  const queue: Job[] = [];
  let draining: Promise<void> | null = null;
  let closed = false;

  return {
    write<T>(job: () => T, syncs = true) {
      if (closed) return Promise.reject(new Error("The store is closed."));
      if (queue.length >= QUEUE_JOBS)
        return Promise.reject(new StoreUnavailable("the queue of writes is full"));
      return new Promise<T>((resolve, reject) => {
        queue.push({ syncs, run: job, resolve: (value) => resolve(value as T), reject });
        draining ??= drain();
      });
    },
    async close() {
      closed = true;
      while (draining !== null) await draining;
    },
  };

  function refuse(): void {
    const refused = refusal();
    if (refused !== null) throw refused;
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const syncs = queue.some((job) => job.syncs);
      try {
        refuse();
        setSyncing(syncs);
        // The transaction is IMMEDIATE: one that begins as a reader cannot wait for the lock, and fails at once.
        await retryBusy(() => db.exec("BEGIN IMMEDIATE"));
      } catch (error) {
        for (const job of queue.splice(0)) job.reject(error);
        continue;
      }
      runBatch(syncs);
    }
    // It goes in the same turn as the look at the queue, so that no write falls between two drains.
    draining = null;
  }

  /** Runs jobs and commits; no promise settles before the commit. A job that syncs may have come since it was looked for. */
  function runBatch(syncs: boolean): void {
    /** Settles each job's promise; with `lost`, nothing of the transaction was kept. */
    const settled: ((lost?: { error: unknown }) => void)[] = [];
    const until = performance.now() + BATCH_MS;
    let lost: { error: unknown } | undefined;
    try {
      while (settled.length < BATCH_JOBS && (settled.length === 0 || performance.now() < until)) {
        const [job] = queue;
        if (job === undefined || (job.syncs && !syncs)) break;
        queue.shift();
        db.exec("SAVEPOINT job");
        try {
          const value = job.run();
          db.exec("RELEASE job");
          settled.push((failure) => (failure === undefined ? job.resolve(value) : job.reject(failure.error)));
        } catch (error) {
          settled.push(() => job.reject(error));
          // A full disk or a read error ends the whole transaction; then no job's work is kept.
          if (!db.isTransaction) throw error;
          db.exec("ROLLBACK TO job; RELEASE job");
        }
      }
      db.exec("COMMIT");
      committed();
      refuse();
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      lost = { error };
    }
    for (const settle of settled) settle(lost);
  }
}
