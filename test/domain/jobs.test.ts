import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Held, type Job, runJob } from "../../src/jobs/scheduler.ts";
import type { Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { useFolderForEach } from "../support/run/temporary.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const LEASE_MS = 60_000;

/** Two instances of one board, each with a handle of its own. */
describe("a job", () => {
  const folder = useFolderForEach();
  let one: Store;
  let other: Store;
  let now: number;
  let ended: [job: string, ok: boolean][];
  let failures: string[];

  beforeEach(async () => {
    const open = () => openStore(`sqlite:${folder()}/board.db`);
    one = await open();
    other = await open();
    now = T0;
    ended = [];
    failures = [];
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
  });

  const job = (run: (now: number, held: Held) => Promise<unknown>): Job => ({
    name: "sweep",
    cron: "* * * * *",
    leaseMs: LEASE_MS,
    run,
  });
  const runOn = (store: Store, owner: string, what: Job, stopping = new AbortController().signal) =>
    runJob(
      what,
      owner,
      {
        leases: store.leases,
        clock: () => now,
        failed: (_job, error) => failures.push(String(error)),
        missed: () => {},
        ended: async (name, ok) => void ended.push([name, ok]),
      },
      stopping,
    );
  /** Takes at most `most` steps while it holds the job; `between` runs after each. */
  const stepping = (most: number, between: (step: number) => unknown) => {
    const steps: number[] = [];
    const what = job(async (_now, held) => {
      for (let step = 1; step <= most && (await held()); step += 1) {
        steps.push(step);
        await between(step);
      }
    });
    return { steps, what };
  };

  it("runs on one instance at a time", async () => {
    const others: number[] = [];
    const sweep = job(async (at) => void others.push(at));
    await runOn(
      one,
      "one",
      job(() => runOn(other, "other", sweep)),
    );
    expect(others).toEqual([]);
    await runOn(other, "other", sweep);
    expect(others).toEqual([T0]);
    expect(ended).toEqual([
      ["sweep", true],
      ["sweep", true],
    ]);
  });

  it("makes no further step on an instance that slept while another took it over", async () => {
    const { steps, what } = stepping(5, async (step) => {
      if (step !== 2) return;
      now += LEASE_MS;
      expect(await other.leases.acquire("job:sweep", "other", LEASE_MS, now)).not.toBeNull();
    });
    await runOn(one, "one", what);
    expect(steps).toEqual([1, 2]);
    expect(ended).toEqual([]);
    // It did not take the job from the one that has it now.
    expect(await one.leases.acquire("job:sweep", "third", LEASE_MS, now)).toBeNull();
  });

  it("ends after the step under way when the board closes", async () => {
    const stopping = new AbortController();
    const { steps, what } = stepping(5, () => stopping.abort());
    await runOn(one, "one", what, stopping.signal);
    expect(steps).toEqual([1]);
    expect(await other.leases.acquire("job:sweep", "other", LEASE_MS, now)).not.toBeNull();
  });

  it("that fails is reported, and left alone until its lease ends", async () => {
    await runOn(
      one,
      "one",
      job(() => Promise.reject(new Error("broken"))),
    );
    expect(failures).toEqual(["Error: broken"]);
    expect(ended).toEqual([["sweep", false]]);
    expect(await other.leases.acquire("job:sweep", "other", LEASE_MS, now)).toBeNull();
  });
});
