import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eraseOld, jobsOf } from "../../src/jobs/schedule.ts";
import { type Held, type Job, runJob, startJobs } from "../../src/jobs/scheduler.ts";
import type { Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { useFolderForEach } from "../support/run/temporary.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const LEASE_MS = 60_000;
const HELD = async () => true;

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

  it.each([true, false])(
    "makes no further step once another instance took it over, which still has it: %s",
    async (has) => {
      const { steps, what } = stepping(5, async (step) => {
        if (step !== 2) return;
        now += LEASE_MS;
        expect(await other.leases.acquire("job:sweep", "other", LEASE_MS, now)).not.toBeNull();
        if (!has) await other.leases.release("job:sweep", "other");
      });
      await runOn(one, "one", what);
      expect(steps).toEqual([1, 2]);
      expect(ended).toEqual([]);
      // It did not take the job from the one that has it now.
      expect((await one.leases.acquire("job:sweep", "third", LEASE_MS, now)) === null).toBe(has);
    },
  );

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

  it("begins by the clock of UTC, not once more while it is under way, and a stop waits for it", async () => {
    vi.useFakeTimers({
      now: Date.UTC(2026, 10, 20, 4, 22, 58),
      toFake: ["setTimeout", "clearTimeout", "Date"],
    });
    try {
      const [begun, missed]: [number[], string[]] = [[], []];
      let finish = () => {};
      let goesOn: boolean | null = null;
      const run = async (at: number, held: Held) => {
        begun.push(at);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        goesOn = await held();
      };
      const stop = startJobs([{ ...job(run), cron: "23,24 4 * * *" }], {
        leases: one.leases,
        clock: Date.now,
        failed: () => {},
        missed: (name) => missed.push(name),
        ended: async (name, ok) => void ended.push([name, ok]),
      });
      await vi.advanceTimersByTimeAsync(10_000);
      await vi.waitFor(() => expect(begun).toHaveLength(1), { timeout: 20_000 });
      await vi.advanceTimersByTimeAsync(60_000);
      expect([begun.length, missed]).toEqual([1, ["sweep"]]);
      let isStopped = false;
      const stopped = stop().then(() => {
        isStopped = true;
      });
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      expect(isStopped).toBe(false);
      finish();
      await stopped;
      expect([goesOn, ended]).toEqual([false, []]);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** What a run of them asks of a store is told beside the calls of a board; here is only when. */
describe("the jobs of a board", () => {
  const services = { store: { pruneExpired: async () => 0 }, tellOfReports: async () => {} };
  const jobs = (over: object = {}) =>
    jobsOf({ ...services, ...over } as unknown as Parameters<typeof jobsOf>[0]);

  it("run this often, and are left to other instances so many minutes after a step that did not end", () => {
    const plan = jobs().map(({ name, cron, leaseMs }) => `${name}: ${cron}, ${leaseMs / 60_000}`);
    expect(plan).toEqual([
      "erase-old: 7 * * * *, 10",
      "finish-erasures: * * * * *, 5",
      "remove-lapsed: * * * * *, 5",
      "prune-scratch: */5 * * * *, 1",
      "tell-of-reports: * * * * *, 1",
      "poll-feeds: * * * * *, 5",
      "embed-missing: */10 * * * *, 1",
      "count-unread: 41 * * * *, 1",
      "recheck-domains: 23 4 * * *, 30",
    ]);
    const names = jobs({ store: {}, tellOfReports: null }).map(({ name }) => name);
    expect(names).not.toContain("prune-scratch");
    expect(names).not.toContain("tell-of-reports");
  });

  it("go on in batches of 500 while these are full, at most 200 of a kind, and add them up", async () => {
    let batches = [500, 500, 499, 500];
    const asked: unknown[] = [];
    const next = (...of: unknown[]) => {
      asked.push(of);
      return Promise.resolve(batches.shift() ?? 500);
    };
    const prune = (rows: number) => async (before: number, limit: number) => {
      asked.push([(T0 - before) / 86_400_000, limit]);
      return rows;
    };
    const store = {
      posts: { erase: next },
      subscriptions: { pruneDeliveries: prune(20) },
      inbox: { prune: prune(3) },
    } as unknown as Store;
    expect(await eraseOld(store, T0)).toBe(1_522);
    const daysAgo = (days: number) => T0 - days * 86_400_000;
    const posts = [{ expired: daysAgo(90), removed: daysAgo(30) }, 500];
    expect(asked).toEqual([posts, posts, posts, [30, 500], [30, 500]]);
    batches = [];
    expect(await eraseOld(store, T0)).toBe(100_023);
    let steps = 2;
    expect(await eraseOld(store, T0, async () => steps-- > 0)).toBe(1_000);
  });

  it.each<[string, (called: object) => object, unknown[]]>([
    ["recheck-domains", (recheck) => ({ publishers: { recheck } }), [T0 - 30 * 86_400_000, 100, T0, HELD]],
    ["remove-lapsed", (removeLapsed) => ({ store: { subscriptions: { removeLapsed } } }), [T0, 500]],
    ["poll-feeds", (pollFeeds) => ({ pollFeeds }), [T0, HELD]],
    ["tell-of-reports", (tellOfReports) => ({ tellOfReports }), [T0, HELD]],
  ])("%s asks for what is due", async (job, over, due) => {
    const called = vi.fn(async () => 0);
    await jobs(over(called))
      .find(({ name }) => name === job)
      ?.run(T0, HELD);
    expect(called.mock.calls).toEqual([due]);
  });
});
