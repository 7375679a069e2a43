import { randomUUID } from "node:crypto";
import { type ScheduledTask, schedule } from "node-cron";
import type { LeaseStore } from "../ports/store/index.ts";

/**
 * Renews an instance's lease on a job before each step. False when another instance had the job in between, since this
 * one slept, and when the board is closing: the run then ends without a further step.
 */
export type Held = () => Promise<boolean>;

/** A job has a schedule, and a run in bounded steps that are safe to repeat. */
export interface Job {
  name: string;
  /** The expression has the five fields of cron, and counts in UTC. */
  cron: string;
  /** No step takes as long. For this long after a step began, no other instance runs the job. */
  leaseMs: number;
  run(now: number, held: Held): Promise<unknown>;
}

/** Instances of a board start a job at slightly different times; the lease lets one of them run it. */
const JITTER_MS = 5_000;

interface SchedulerOptions {
  leases: LeaseStore;
  clock: () => number;
  failed: (job: string, error: unknown) => void;
  /** A run that did not begin is told: an earlier one is under way, or the process slept. */
  missed: (job: string, why: string) => void;
  /** Every run that ended is told, for the statistics. */
  ended: (job: string, ok: boolean) => Promise<void>;
}

/**
 * Runs jobs by the clock, each on one instance of the board at a time.
 * @returns stops the clock and resolves when runs under way are done
 */
export function startJobs(jobs: readonly Job[], options: SchedulerOptions): () => Promise<void> {
  const owner = randomUUID();
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const tasks: ScheduledTask[] = jobs.map((job) =>
    schedule(
      job.cron,
      () => {
        const run = runJob(job, owner, options, stopping.signal);
        underWay.add(run);
        // The caller gets the run, since one that has not ended keeps the next one from beginning.
        return run.finally(() => underWay.delete(run));
      },
      {
        timezone: "Etc/UTC",
        maxRandomDelay: JITTER_MS,
        name: job.name,
        noOverlap: true,
        logger: {
          info() {},
          debug() {},
          warn: (message) => options.missed(job.name, message),
          error: (error) => options.failed(job.name, error),
        },
      },
    ),
  );
  return async () => {
    stopping.abort();
    await Promise.all(tasks.map((task) => task.destroy()));
    await Promise.allSettled(underWay);
  };
}

/** Runs a job now, unless another instance does; reports what it throws. */
export async function runJob(
  job: Job,
  owner: string,
  options: SchedulerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const lease = `job:${job.name}`;
  const take = () => options.leases.acquire(lease, owner, job.leaseMs, options.clock());
  try {
    const fence = await take();
    if (fence === null) return;
    let complete = true;
    await job.run(options.clock(), async () => {
      // Another fence means that the lease ended, and somebody else had it and perhaps gave it back.
      complete &&= !stopping.aborted && (await take()) === fence;
      return complete;
    });
    await options.leases.release(lease, owner);
    if (complete) await options.ended(job.name, true);
  } catch (error) {
    options.failed(job.name, error);
    await options.ended(job.name, false).catch((again: unknown) => options.failed(job.name, again));
  }
}
