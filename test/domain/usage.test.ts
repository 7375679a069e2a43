import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Board } from "../../src/domain/board/index.ts";
import { Metrics } from "../../src/domain/board/metrics.ts";
import { DEMAND, UnmetDemand } from "../../src/domain/board/unmet-demand.ts";
import { CounterBuffer, callersBehind, SearcherEstimate, Usage } from "../../src/domain/board/usage.ts";
import { Secrets } from "../../src/domain/secrets.ts";
import type { Store } from "../../src/ports/store/index.ts";
import type { SearchQuery } from "../../src/schema/query.ts";
import { openStore } from "../../src/store/open.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => NOW - days * DAY_MS;
const day = (days: number) => new Date(daysAgo(days)).toISOString().slice(0, 10);

describe("the statistics of a board", () => {
  const folder = useFolderForEach();
  let store: Store;
  let usage: Usage;
  const metrics = () => {
    const census = async () => ({ publishers: 9, active_posts: 8, syndicated: 3 });
    const board = { census } as unknown as Board;
    return new Metrics({ store, board, jobs: ["sweep", "sleep"] }).read(NOW);
  };
  beforeEach(async () => {
    store = await openStore(`sqlite:${folder()}/board.db`);
    usage = new Usage({ store, secrets: new Secrets("a key") });
  });
  afterEach(() => store.close());

  const succeeded = (statistic: "posts" | "registrations" | "searches", over: object = {}, now = NOW) =>
    usage.succeeded(
      statistic,
      { isNew: true, input: {}, data: [], caller: "somebody", client: "curl", ...over },
      now,
    );

  it("tell an instrument how long a stage of a search took, in milliseconds", async () => {
    const told: [stage: string, ms: number][] = [];
    usage.listen({ staged: (...stage) => told.push(stage) });
    const began = performance.now();
    expect(await usage.staged("rank", new Promise((resolve) => setImmediate(resolve, "ranked")))).toBe(
      "ranked",
    );
    expect(told).toEqual([["rank", expect.any(Number)]]);
    expect(told[0]?.[1]).toBeGreaterThan(0);
    expect(told[0]?.[1]).toBeLessThanOrEqual(performance.now() - began);
  });

  it("are of seven days and of thirty, today included, by UTC day", async () => {
    for (const at of [0, 6, 7, 29, 30].map(daysAgo)) {
      for (const status of [200, 499, 500]) usage.answered("search", status, at);
      usage.answered("tool:about", 200, at, { client: "curl" });
      usage.answered("tool:about", 503, at);
      usage.pushed(true, at);
      usage.pushed(true, at);
      usage.pushed(false, at);
      succeeded("posts", {}, at);
      succeeded("posts", { isNew: false }, at);
      succeeded("registrations", {}, at);
      succeeded("searches", {}, at);
      succeeded("searches", { data: [{ id: "p" }] }, at);
    }
    await usage.flush();
    const { health, metrics: found, mcp, ...read } = await metrics();
    expect(health).toMatchObject({ requests_7d: 6, errors_7d: 4, error_rate_7d: 0.667 });
    expect(found).toEqual({
      posts_7d: 2,
      registrations_7d: 2,
      searches_7d: 4,
      searches_per_day_7d: 0.6,
      zero_result_rate_7d: 0.5,
      deliveries_7d: 4,
      delivery_success_rate_7d: 0.667,
      syndicated_share: 0.375,
    });
    expect(mcp).toEqual({ clients_30d: { curl: 4 }, tools_7d: { about: 4 } });
    expect(read.routes_7d).toEqual({ search: 6 });
    expect(read.registration_clients).toEqual({ curl: 4 });
    expect(read.unmet_demand.zero_result_searches_30d).toBe(4);
    expect(read.north_stars.weekly_active_seekers).toBe(1);
    const busy = {
      posts: 1,
      searches: 2,
      zero_results: 1,
      registrations: 1,
      deliveries: 2,
      delivery_failures: 1,
    };
    expect(read.series_30d).toHaveLength(30);
    expect(read.series_30d.filter(({ posts }) => posts > 0)).toEqual(
      [29, 7, 6, 0].map((days) => ({ day: day(days), ...busy })),
    );
  });

  it("count who wrote in a week, in a month, and in both of two weeks", async () => {
    const writers: [string, number[]][] = [
      ["pub_both", [0, 8]],
      ["pub_week", [6]],
      ["pub_before", [8]],
      ["pub_month", [29.5]],
      ["pub_long_ago", [30.5]],
    ];
    for (const [publisherId, days] of writers) {
      await store.publishers.insert(aPublisher(publisherId));
      for (const [n, ago] of days.entries())
        await store.posts.insert(aPost(`${publisherId}${n}`, { publisherId, createdAt: daysAgo(ago) }));
    }
    const { north_stars, funnel } = await metrics();
    expect(north_stars.weekly_active_publishers).toBe(2);
    expect(funnel).toEqual({ registered: 9, activated: 4, retained: 1 });
  });

  it("name the twenty things that were looked for most in vain, equal ones by name", async () => {
    const names = Array.from({ length: 22 }, (_, n) => `term${String(n).padStart(2, "0")}`);
    const rows = names.map((name, n) => ({ day: day(n), name: DEMAND.terms + name, n: n < 21 ? 1 : 2 }));
    await store.statistics.add([...rows, { day: day(29), name: `${DEMAND.terms}term00`, n: 2 }]);
    const { unmet_demand, metrics: rates } = await metrics();
    const { terms } = unmet_demand;
    // Nothing was delivered, and nothing failed.
    expect(rates.delivery_success_rate_7d).toBeNull();
    expect(terms.map(({ term, searches }) => `${term} ${searches}`)).toEqual([
      "term00 3",
      "term21 2",
      ...names.slice(1, 19).map((name) => `${name} 1`),
    ]);
  });

  it("say when each job ran last, and whether it went well", async () => {
    const one = new Metrics({ store, board: {} as Board, jobs: [] });
    await one.jobEnded("sweep", false, daysAgo(1));
    await one.jobEnded("sweep", true, NOW);
    expect((await metrics()).health.jobs).toEqual([
      { name: "sweep", last_run: new Date(NOW).toISOString(), ok: true },
      { name: "sleep", last_run: null, ok: null },
    ]);
  });

  it("count a search by its first page, its posts by each page that shows them, and weak ones not at all", async () => {
    await store.publishers.insert(aPublisher("pub_a"));
    for (const id of ["shown", "weak"]) await store.posts.insert(aPost(id));
    const shown = [{ id: "shown" }, { id: "weak", weak: true }];
    succeeded("searches", { data: shown });
    succeeded("searches", { data: shown, input: { cursor: "c" } });
    succeeded("searches", { data: shown.slice(1) });
    await usage.flushTallies();
    const rows = await store.statistics.read(day(0));
    const counted = (name: string) => rows.find((row) => row.name === name)?.n;
    expect([counted("searches"), counted("zero_results")]).toEqual([2, 1]);
    const retrievals = async () => (await store.posts.many(["shown", "weak"])).map((post) => post.retrievals);
    expect(await retrievals()).toEqual([0, 0]);
    await usage.flush();
    expect(await retrievals()).toEqual([2, 0]);
  });
});

describe("unmet demand", () => {
  let demand: UnmetDemand;
  beforeEach(() => {
    demand = new UnmetDemand();
  });
  const missed = (query: Partial<SearchQuery>, caller: string, on = "2026-11-20") =>
    demand.missed(query as SearchQuery, caller, on);
  /** What is counted of a query once three have asked it. */
  const parts = (query: Partial<SearchQuery>) =>
    ["one", "two", "three"].map((caller) => missed(query, caller)).at(-1);

  it("is counted from the third caller of a day on", () => {
    const query = { q: "zeppelin" };
    const asked = (callers: string[], on?: string) =>
      callers.map((caller) => missed(query, caller, on).length);
    expect(asked(["one", "one", "two", "two", "one"])).toEqual([0, 0, 0, 0, 0]);
    expect(asked(["three"], "2026-11-21")).toEqual([0]);
    expect(asked(["one", "two", "two", "one"], "2026-11-21")).toEqual([0, 1, 1, 1]);
  });

  it.each<[string, Partial<SearchQuery>, string[]]>([
    ["words, also of phrases", { q: '"night train" bike -car' }, ["term:bike", "term:night", "term:train"]],
    ["each word once", { q: "bike bike" }, ["term:bike"]],
    [
      "words of two to thirty letters",
      { q: `x ox ${"y".repeat(30)} ${"z".repeat(31)}` },
      ["term:ox", `term:${"y".repeat(30)}`],
    ],
    ["no numbers, addresses and links", { q: "4911 jane@example.org a/b c\\d sk2 lamp" }, ["term:lamp"]],
    ["kinds", { kind: ["offer", "event"] }, ["kind:offer", "kind:event"]],
    [
      "tags with three digits in a row at most",
      { tags: ["web3", "abc123", "year 2026", "a", "a@b"] },
      ["tag:web3", "tag:abc123"],
    ],
    ["whole degrees", { near: { lat: 47.66, lng: -9.48 } } as never, ["place:48,-9"]],
    [
      "sixteen of a query",
      { kind: ["offer"], q: [..."abcdefghijklmnopq"].map((letter) => `q${letter}`).join(" ") },
      ["kind:offer", ...[..."abcdefghijklmno"].map((letter) => `term:q${letter}`)],
    ],
  ])("is of %s", (_what, query, expected) => {
    expect(parts(query)).toEqual(expected.map((part) => `unmet:${part}`));
  });

  it("follows 20,000 parts a day, and no more", () => {
    const word = (n: number) => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const words = Array.from({ length: 20_000 }, (_, n) => word(10_000 + n));
    for (let at = 0; at < words.length; at += 16) missed({ q: words.slice(at, at + 16).join(" ") }, "one");
    expect(parts({ q: words.at(-1) })).toHaveLength(1);
    expect(parts({ q: "beyond" })).toEqual([]);
  });
});

describe("the estimate of searchers", () => {
  it.each([
    [0, 0],
    [1, 1],
    [60, 62],
    [512, 710],
    [1_023, 7_098],
    [1_024, 7_098],
  ])("takes %i buckets for %i callers", (buckets, callers) => {
    expect(callersBehind(buckets)).toBe(callers);
  });

  it("names a caller's bucket once a day", () => {
    const estimate = new SearcherEstimate((caller) => Buffer.from(caller.slice(-2)).toString("base64url"));
    const seen = (caller: string, on: string) => estimate.seen(caller, on);
    const bucket = `seeker:${Buffer.from("aa").readUInt16BE() % 1_024}`;
    expect([seen("aa", "1"), seen("aa", "1"), seen("ab", "1")]).toEqual([bucket, null, expect.any(String)]);
    expect([seen("aa", "2"), seen("aa", "2")]).toEqual([bucket, null]);
  });
});

describe("counts kept in memory", () => {
  it("are written once, and a flush waits for the one before it", async () => {
    const written: [string, number][][] = [];
    let goOn = () => {};
    let failure: Error | null = null;
    const counts = new CounterBuffer(async (some) => {
      written.push([...some]);
      if (failure !== null) throw failure;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    });
    for (const name of ["a", "b", "a"]) counts.add(name);
    let ended = 0;
    const flushes = [counts.flush(), counts.flush()].map((flush) => flush.then(() => (ended += 1)));
    await new Promise(setImmediate);
    expect([written, ended]).toEqual([
      [
        [
          ["a", 2],
          ["b", 1],
        ],
      ],
      0,
    ]);
    goOn();
    await Promise.all(flushes);
    failure = new Error("full");
    counts.add("a");
    await expect(counts.flush()).rejects.toThrow("full");
    await counts.flush();
    expect(written).toHaveLength(2);
  });
});
