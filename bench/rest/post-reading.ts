/**
 * How long does it take to read a post with its related ones: for the first time, and again within a minute?
 *
 *   npx tsx bench/rest/post-reading.ts [posts = 10000] [readings = 500]
 */
import { startBoard } from "../../test/support/boards/board.ts";
import { vectorOf } from "../support/board-fill.ts";
import { notices } from "../support/corpus.ts";
import { machine, ms, percentiles } from "../support/measure.ts";
import { seeded } from "../support/random.ts";
import { newPublisher, writePosts } from "../support/writing.ts";

const posts = Number(process.argv[2] ?? 10_000);
const readings = Number(process.argv[3] ?? 500);
const VECTORS_PER_WRITE = 500;

const { board, stop } = await startBoard({ LOG_LEVEL: "silent" }, { idle: true });
const { services, store, embedder, clock } = board;
try {
  const ids = await writePosts(board, await newPublisher(board), notices(posts, clock()));
  const random = seeded(5);
  // Meanings near one of them, so that every post has related ones.
  const centre = vectorOf(random);
  for (let at = 0; at < ids.length; at += VECTORS_PER_WRITE) {
    const rows = await store.posts.many(ids.slice(at, at + VECTORS_PER_WRITE));
    await store.posts.setVectors(
      rows.map(({ id, updatedAt }) => ({
        id,
        updatedAt,
        model: embedder.modelId,
        vector: centre.map((component) => Math.round(component * 0.7 + (random() - 0.5) * 30)),
      })),
    );
  }
  console.log(`reading a post, ${posts} posts with vectors; p50 / p95 ms; ${machine()}`);
  const some = ids.filter((_, n) => n % Math.ceil(ids.length / readings) === 0);
  await services.posts.read(ids.at(-1) ?? "", null, clock());
  for (const time of ["for the first time", "again"]) {
    const times: number[] = [];
    for (const id of some) {
      const began = performance.now();
      const { data } = await services.posts.read(id, null, clock());
      times.push(performance.now() - began);
      if (data.related.length === 0) throw new Error("A post without related ones shows nothing.");
    }
    const { p50, p95 } = percentiles(times);
    console.log(`  ${time.padEnd(20)} ${ms(p50)} / ${ms(p95)}`);
  }
} finally {
  await stop();
}
