/**
 * What does it cost a search to understand its words, above the index's own ranking?
 *
 *   npx tsx bench/search-speed/understanding.ts [--posts 10000,100000]
 *
 * The engine alone ranks the same words and vector. The search also reads places and days, puts slips right, lifts what fits,
 * hides copies, and reads the rows it shows. Both take turns, in one process, without HTTP, with vectors of queries that the
 * model has made before. Coverage is a part of the engine's own score. BENCH_DATA gives real texts and the model's vectors.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Cursors } from "../../src/domain/cursors.ts";
import { Posts } from "../../src/domain/posts/index.ts";
import { Corrections } from "../../src/domain/search/corrections.ts";
import { Search } from "../../src/domain/search/index.ts";
import { daysInText } from "../../src/domain/search/understood/times.ts";
import { placeInText } from "../../src/gazetteer/in-text.ts";
import type { SearchIndex } from "../../src/ports/search-index.ts";
import { startBoard, type TestBoard } from "../../test/support/boards/board.ts";
import { boardPosts } from "../board/posts.ts";
import { boardTexts, type Texts } from "../board/texts.ts";
import { type PostVectors, postVectors } from "../board/vectors.ts";
import { fillBoard } from "../support/board-fill.ts";
import type { IndexedPost } from "../support/index-under-test.ts";
import { machine, ms, percentiles, table } from "../support/measure.ts";
import { DEFAULT_MAKER, MODEL_FILES } from "../support/model.ts";

/** What all of it may cost above the engine, p50 in milliseconds. */
const GOAL_MS: Record<number, number> = { 10000: 0.5, 100000: 1.5 };
const PAGE = 20;
const WARM_UP = 3;
/** Questions of each sort. */
const ASKED = 600;
/** Of two posts one names its source, and of ten of these one shares it with another. */
const [SOURCED, SHARED] = [2, 20];

type RankArguments = Parameters<SearchIndex["rank"]>;
type Part = keyof typeof PARTS;
const PARTS = {
  engine: "the engine alone",
  search: "the whole search",
  above: "understanding, above the engine",
  place: "- words of places",
  days: "- words of days",
  slips: "- slips",
  lifts: "- lifts",
  hidden: "- copies hidden",
  copies: "- copies named",
  rows: "rows read and shown",
};

/** Milliseconds of each part of one search. */
type Spent = Partial<Record<Part, number>>;

class Stopwatch {
  spent: Spent = {};

  /** The same object, whose calls of some methods are timed. */
  timed<T extends object>(target: T, parts: Partial<Record<keyof T, Part>>): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target);
        const part = parts[name as keyof T];
        if (typeof value !== "function") return value;
        if (part === undefined) return value.bind(target);
        return (...sent: unknown[]) => this.time(part, () => value.apply(target, sent));
      },
    });
  }

  async time<R>(part: Part, act: () => R | Promise<R>): Promise<R> {
    const began = performance.now();
    try {
      return await act();
    } finally {
      this.spent[part] = (this.spent[part] ?? 0) + performance.now() - began;
    }
  }
}

/** A search of the board's own parts, whose calls are timed and whose last ranking is known. */
function searchOf({ board }: TestBoard, watch: Stopwatch) {
  const { store, index, embedder, site } = board;
  let asked: RankArguments | null = null;
  const timed = watch.timed(index, { rank: "hidden", copies: "copies" });
  const seen: SearchIndex = new Proxy(timed, {
    get: (target, name) => {
      if (name !== "rank") return Reflect.get(target, name);
      return (...sent: RankArguments) => {
        asked = sent;
        return timed.rank(...sent);
      };
    },
  });
  const cursors = new Cursors(Buffer.alloc(32, 1));
  const posts = new Posts({ store, index, site, cursors, relatedCosine: () => 1 });
  const stored = watch.timed(store.posts, { many: "rows" });
  const shown = new Proxy(store, {
    get: (target, name) => (name === "posts" ? stored : Reflect.get(target, name, target)),
  });
  const search = new Search({
    store,
    shown,
    index: seen,
    embedder,
    cursors,
    posts: watch.timed(posts, { shown: "rows" }),
    corrections: watch.timed(new Corrections({ index, embedder }), { of: "slips" }),
    activePosts: async () => 0,
  });
  return { search, lastRanking: () => asked };
}

/** Queries of each sort; all are asked in turn. */
function queriesOf({ short, long }: Texts): Record<string, readonly string[]> {
  const slipped = (query: string) =>
    query.replace(/\p{L}{6,}/u, (word) => word.slice(0, 2) + word[3] + word[2] + word.slice(4));
  return {
    short,
    long,
    "short, near Berlin this weekend": short.map((query) => `${query} near Berlin this weekend`),
    "short, a slip": short.map(slipped),
  };
}

async function measure(board: TestBoard, queries: readonly string[]) {
  const watch = new Stopwatch();
  const { search, lastRanking } = searchOf(board, watch);
  const { index } = board.board;
  const all: Spent[] = [];
  const rankings = new Map<string, RankArguments>();
  const cpu = { engine: 0, search: 0 };
  const withCpu = async (what: keyof typeof cpu, act: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await watch.time(what, act);
    const { user, system } = process.cpuUsage(before);
    cpu[what] += (user + system) / 1000 / ASKED;
  };
  for (let n = -WARM_UP * queries.length; n < ASKED; n += 1) {
    if (n === 0) Object.assign(cpu, { engine: 0, search: 0 });
    const q = queries[(n + WARM_UP * queries.length) % queries.length] ?? "";
    const now = Date.now();
    watch.spent = {};
    const ask = () => withCpu("search", () => search.run({ q, limit: PAGE }, now));
    const rank = async () => {
      const [asked, lifted] = rankings.get(q) ?? [];
      if (asked === undefined || lifted === undefined) return;
      const { distinct: _, ...question } = asked;
      const { lifts: __, ...options } = lifted;
      await withCpu("engine", () => index.rank(question, options));
      await watch.time("lifts", () => index.rank(question, lifted));
    };
    // Whoever comes second finds the processor's own memory warm.
    for (const act of n % 2 === 0 ? [ask, rank] : [rank, ask]) await act();
    const ranking = lastRanking();
    if (ranking === null) throw new Error(`No ranking for ${q}.`);
    rankings.set(q, ranking);
    await watch.time("place", () => placeInText(q));
    await watch.time("days", () => daysInText(q, now, 60));
    if (n < 0) continue;
    const { engine = 0, lifts = 0, hidden = 0, place = 0, days = 0, slips = 0, copies = 0 } = watch.spent;
    const above = hidden - engine + place + days + slips + copies;
    all.push({ ...watch.spent, lifts: lifts - engine, hidden: hidden - lifts, above });
  }
  return { all, cpu };
}

/** The same posts, some with a source of their own, some with one that another has too. */
function* sourced(posts: Iterable<IndexedPost>): Generator<IndexedPost> {
  let n = 0;
  for (const { entry, vector } of posts) {
    const of = n % SHARED === SOURCED ? n - SOURCED : n;
    const source = n % SOURCED === 0 ? `https://source.example/${of}` : null;
    yield {
      entry: { ...entry, source, ...(source === null ? {} : { windowStart: entry.createdAt }) },
      vector,
    };
    n += 1;
  }
}

async function measureBoard(count: number, texts: Texts, vectors: PostVectors): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "understanding-"));
  const environment = { EMBEDDINGS: "required", MODEL_DIR: MODEL_FILES, LOG_LEVEL: "warn" };
  const board = await startBoard(environment, { dataDir, idle: true });
  try {
    await board.board.embedder.settled();
    const now = Date.now();
    const written = sourced(boardPosts({ count, texts, vectors, now }));
    const size = { posts: count, subscriptions: 0, deliveriesPerPost: 0, now };
    await fillBoard(board.board.store, { ...size, written, maker: DEFAULT_MAKER });
    const sorts = Object.entries(queriesOf(texts));
    const figures = new Map<string, Awaited<ReturnType<typeof measure>>>();
    for (const [sort, queries] of sorts) figures.set(sort, await measure(board, queries));
    const rows = Object.entries(PARTS).map(([part, name]) => [
      name,
      ...sorts.map(([sort]) => {
        const { p50, p95 } = percentiles(
          figures.get(sort)?.all.map((spent) => spent[part as Part] ?? 0) ?? [],
        );
        const goal =
          part === "above" ? (GOAL_MS[count] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
        return `${ms(p50)} / ${ms(p95)}${p50 > goal ? ", missed" : ""}`;
      }),
    ]);
    const cpu = (of: "engine" | "search") =>
      sorts.map(([sort]) => ms(figures.get(sort)?.cpu[of] ?? Number.NaN));
    rows.push(["CPU, the engine alone", ...cpu("engine")], ["CPU, the whole search", ...cpu("search")]);
    console.log(`\n${count.toLocaleString("en")} posts, p50 / p95 ms:\n`);
    console.log(table(["", ...sorts.map(([sort]) => sort)], rows));
  } finally {
    await board.stop();
    await rm(dataDir, { recursive: true });
  }
}

const { posts } = parseArgs({ options: { posts: { type: "string", default: "10000,100000" } } }).values;
const texts = boardTexts();
const vectors = await postVectors(texts);
console.log(`${machine()}; ${texts.source}; ${vectors.source}`);
for (const count of posts.split(",").map(Number)) await measureBoard(count, texts, vectors);
