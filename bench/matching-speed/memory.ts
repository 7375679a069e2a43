/**
 * How much memory does a process take for each saved query that it matches, and how much of it counts towards V8's limit?
 *
 *   NODE_OPTIONS=--expose-gc npx tsx bench/matching-speed/memory.ts [saved queries = 100000]
 *
 * One process saves the queries, a new one takes them in as a board does at its start: the filters, the vector, the text and
 * what the rule that decides keeps of it. Texts are those of `bench/standing-rule/own-pairs.txt`; two of three queries look
 * around a place.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { BoardModel } from "../../src/domain/board/embedding-model.ts";
import { Matching } from "../../src/domain/subscriptions/matching.ts";
import { makerOf } from "../../src/domain/subscriptions/meaning.ts";
import type { OpenBoard } from "../../src/open-board.ts";
import { quantize } from "../../src/search/vectors.ts";
import { startBoard } from "../../test/support/boards/board.ts";
import { aSubscription } from "../../test/support/search/rows.ts";
import { ownPairs } from "../standing-rule/pairs.ts";
import { subscriptionId } from "../support/board-fill.ts";
import { machine, table } from "../support/measure.ts";
import { embedAll, MODEL_FILES } from "../support/model.ts";
import { newPublisher } from "../support/writing.ts";
import { OWN_PAIRS } from "./texts.ts";

/** Queries of one publisher; no more may be active. */
const PER_PUBLISHER = 50;
const HEADING = [
  "saved queries",
  "bytes of each: the process",
  "V8's heap",
  "typed arrays beside it",
  "`board_saved_queries_bytes`",
];
const PLACE = { near: "52.37,4.90", radius_km: 25 };

async function save({ store, embedder, clock, ...board }: OpenBoard, count: number): Promise<void> {
  const { queries } = ownPairs(OWN_PAIRS);
  const texts = queries.map(({ text }) => text.plain);
  const vectors = (await embedAll(embedder, texts, "query")).map(quantize);
  for (let n = 0; n < count; n += PER_PUBLISHER) {
    const { id: publisherId } = await newPublisher({ store, embedder, clock, ...board });
    const own = Array.from({ length: Math.min(PER_PUBLISHER, count - n) }, (_, i) => {
      const at = (n + i) % queries.length;
      const { text, kinds } = queries[at] as (typeof queries)[number];
      const filters = { ...(kinds === null ? {} : { kind: kinds }), ...((n + i) % 3 > 0 ? PLACE : {}) };
      return aSubscription(subscriptionId(n + i), {
        publisherId,
        query: { q: text.plain, ...filters },
        vector: vectors[at] ?? null,
        vectorModel: makerOf(embedder),
        createdAt: clock(),
      });
    });
    await Promise.all(own.map((row) => store.subscriptions.insert(row, PER_PUBLISHER)));
  }
}

async function takeIn({ store, index, embedder, clock }: OpenBoard): Promise<void> {
  const matching = new Matching({ store, index, embedder, boardModel: new BoardModel({ store, embedder }) });
  const before = await memory();
  await matching.refresh(clock());
  const after = await memory();
  const each = (bytes: number) => Math.round(bytes / matching.size).toLocaleString("en");
  const figures = [
    matching.size.toLocaleString("en"),
    each(after.rss - before.rss),
    each(after.heapUsed - before.heapUsed),
    each(after.arrayBuffers - before.arrayBuffers),
    each(matching.bytes),
  ];
  console.log(`${machine()}; V8's limit: ${(getHeapStatistics().heap_size_limit / 1e6).toFixed(0)} MB`);
  console.log(table(HEADING, [figures]));
}

/** Bytes of this process, once V8 has collected twice and given back what it freed. */
async function memory(): Promise<NodeJS.MemoryUsage> {
  for (let time = 0; time < 2; time += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(1_000);
  }
  return process.memoryUsage();
}

const [, , count = "100000", filled] = process.argv;
const dataDir = filled ?? mkdtempSync(join(tmpdir(), "matching-memory-"));
const test = await startBoard({ EMBEDDINGS: "required", MODEL_DIR: MODEL_FILES }, { dataDir, idle: true });
try {
  await test.board.embedder.settled();
  if (filled === undefined) await save(test.board, Number(count));
  else await takeIn(test.board);
} finally {
  await test.stop();
}
if (filled === undefined) {
  spawnSync(process.execPath, [...process.execArgv, import.meta.filename, count, dataDir], {
    stdio: "inherit",
  });
  rmSync(dataDir, { recursive: true });
}
