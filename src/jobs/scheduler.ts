import { randomUUID } from "node:crypto";
import { type ScheduledTask, schedule } from "node-cron";
import type { LeaseStore } from "../ports/store.ts";

/** A job: a schedule, and a bounded run that is safe to repeat. */
export interface Job {
  name: string;
  /** Cron expression with five fields, in UTC. */
  cron: string;
  /** Longer than a run takes: for this long no other instance runs the job. */
  leaseMs: number;
  run(now: number): Promise<unknown>;
}

/** Instances of a board start a job at slightly different times; the lease lets one of them run it. */
const JITTER_MS = 5_000;

interface Parts {
  leases: LeaseStore;
  clock: () => number;
  failed: (job: string, error: unknown) => void;
  /** Told of every run that took place, for the statistics. */
  ended: (job: string, ok: boolean) => Promise<void>;
}

/**
 * Runs jobs by the clock, each on one instance of the board at a time.
 * @returns stops the clock and resolves when runs under way are done
 */
export function startJobs(jobs: readonly Job[], parts: Parts): () => Promise<void> {
  const owner = randomUUID();
  const underWay = new Set<Promise<void>>();
  const tasks: ScheduledTask[] = jobs.map((job) =>
    schedule(
      job.cron,
      () => {
        const run = runOnce(job, owner, parts);
        underWay.add(run);
        void run.finally(() => underWay.delete(run));
      },
      { timezone: "Etc/UTC", maxRandomDelay: JITTER_MS, name: job.name, noOverlap: true },
    ),
  );
  return async () => {
    await Promise.all(tasks.map((task) => task.destroy()));
    await Promise.allSettled(underWay);
  };
}

async function runOnce(job: Job, owner: string, parts: Parts): Promise<void> {
  try {
    if (!(await parts.leases.acquire(`job:${job.name}`, owner, job.leaseMs, parts.clock()))) return;
    await job.run(parts.clock());
    await parts.leases.release(`job:${job.name}`, owner);
    await parts.ended(job.name, true);
  } catch (error) {
    parts.failed(job.name, error);
    await parts.ended(job.name, false).catch((again: unknown) => parts.failed(job.name, again));
  }
}
