import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { SearchIndex } from "../src/ports/search-index.ts";
import { parseQueryText } from "../src/search/query-text.ts";
import { EmbeddedIndex } from "../src/search-index/index.ts";
import { type MongodbStore, openMongodb } from "../src/store/mongodb/index.ts";
import { openReplica } from "../src/store/mongodb/search/replica/index.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { boardPosts } from "./board/posts.ts";
import { boardTexts } from "./board/texts.ts";
import { postVectors } from "./board/vectors.ts";
import { DIMENSION, fillBoard, MODEL, postRow, questionOf } from "./support/board-fill.ts";
import { machine, ms, percentiles } from "./support/measure.ts";
import { dropDatabase } from "./support/mongodb.ts";

/**
 * How soon is the index beside MongoDB ready, how far does it lag, and how fast does it answer beside the embedded one?
 *
 *   npx tsx bench/replica-start.ts mongodb://…/EMPTY_DATABASE [posts]     the database is dropped before and afterwards
 */
const [url = "", size = "100000"] = process.argv.slice(2);
const NOW = Date.now();
const texts = boardTexts();
const vectors = await postVectors(texts);
const QUERIES = [...texts.short, ...texts.long.slice(0, texts.short.length)];
const board = () => ({
  posts: Number(size),
  subscriptions: 0,
  deliveriesPerPost: 0,
  now: NOW,
  written: boardPosts({ count: Number(size), texts, vectors, now: NOW }),
});
/** For posts found by their words. */
const NO_VECTOR = new Int8Array(DIMENSION);
const PAGE = { limit: 200, except: new Set<string>() };
const folder = mkdtempSync(join(tmpdir(), "replica-start-"));

await dropDatabase(url);
const store = await openMongodb(url);
try {
  await fillBoard(store, board());
  console.log(`${size} posts with vectors of ${DIMENSION}, ${texts.source}; ${machine()}`);

  const first = await started("first start");
  await first.close();
  const second = await started("second start, nothing changed");
  await lag(second, store);
  await searches("replica", second);
  await second.close();
  await embedded((index) => searches("embedded", index));
} finally {
  await store.close();
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
}

async function started(what: string) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = performance.now();
  const cpu = process.cpuUsage();
  const replica = openReplica({
    feed: store.feed,
    folder,
    board: "bench",
    modelId: MODEL,
    dimension: DIMENSION,
    log: { info() {}, warn: (fields, message) => console.log(message, fields) },
    now: NOW,
  });
  if (!(await replica.readyWithin(600_000))) throw new Error("not ready");
  const took = performance.now() - before;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const figures = [`${ms((user + system) / 1e6)} s of CPU`, `longest turn ${ms(delay.max / 1e6)} ms`];
  console.log(`${what}: ready after ${ms(took / 1000)} s (${figures.join(", ")})`);
  return replica;
}

/** Time from the answer to a write until a search finds it, for writes through the followed store and through another. */
async function lag(replica: SearchIndex, own: MongodbStore): Promise<void> {
  const another = await openMongodb(url);
  for (const [number, whose, writer] of [
    [1, "own", own],
    [2, "another process's", another],
  ] as const) {
    const times: number[] = [];
    for (let i = 0; i < 50; i += 1) {
      const word = `zyzzyva${number}x${i}`;
      const notice = { title: word, body: "x", kind: "offer", tags: ["x"] };
      await writer.posts.insert(postRow((2_000_000 + number * 1_000 + i) * 5, notice, NO_VECTOR, NOW));
      const written = performance.now();
      const asked = questionOf(NOW, {}, { words: parseQueryText(word) });
      while ((await replica.match(asked, PAGE)).matches.length === 0)
        await new Promise((done) => setTimeout(done, 1));
      times.push(performance.now() - written);
    }
    const { p50, p95 } = percentiles(times);
    console.log(`a search finds ${whose} write after p50 ${ms(p50)} ms, p95 ${ms(p95)} ms`);
  }
  await another.close();
}

async function searches(what: string, index: SearchIndex): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const text of QUERIES) {
      const vector = vectors.queries.get(text) ?? null;
      const asked = questionOf(NOW, {}, { words: parseQueryText(text), vector });
      const before = performance.now();
      await index.match(asked, PAGE);
      if (round > 0) times.push(performance.now() - before);
    }
  }
  const { p50, p95 } = percentiles(times);
  console.log(`search, ${what}: p50 ${ms(p50)} ms, p95 ${ms(p95)} ms`);
}

/** The same posts in SQLite, where the index is part of the store. */
async function embedded(use: (index: SearchIndex) => Promise<void>): Promise<void> {
  const index = new EmbeddedIndex({ modelId: MODEL, dimension: DIMENSION });
  const beside = await openSqlite(`sqlite:${join(folder, "embedded.db")}`, { index });
  await fillBoard(beside, board());
  await use(index);
  await beside.close();
}
