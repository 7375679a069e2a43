/**
 * Does a board answer smoothly while another process writes to its file? One process takes posts over REST, one after
 * another from several clients; the other answers readers and tells the delay of its event loop.
 *
 *   npx tsx bench/hold/two-processes.ts [posts = 20000]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BoardProcess, freePort } from "../../test/support/boards/board-process.ts";
import { call, register } from "../../test/support/boards/client.ts";
import { distinctText } from "../../test/support/texts/texts.ts";
import type { LoopDelay } from "../search-load/loop-delay.ts";
import { machine, ms } from "../support/measure.ts";

const WRITERS = 16;
/** A reader asks this long after its last answer. */
const PAUSE_MS = 20;
const HOOK = pathToFileURL(resolve(import.meta.dirname, "../search-load/loop-delay.ts")).href;

export interface TwoProcessesRun {
  posts: number;
  seconds: number;
  /** Of the process that answers, while the other writes. */
  delay: LoopDelay;
  reads: number;
  failed: number;
}

export async function twoProcessesRun(posts: number): Promise<TwoProcessesRun> {
  const folder = mkdtempSync(join(tmpdir(), "board-two-"));
  const port = await freePort();
  const writer = await BoardProcess.start({ DATA_DIR: folder });
  const reader = await BoardProcess.start({
    DATA_DIR: folder,
    NODE_OPTIONS: `--import tsx --import ${HOOK}`,
    BENCH_LOOP_PORT: String(port),
  });
  const told = async () => (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as LoopDelay;
  try {
    const { key } = await register(writer);
    await told();
    const began = performance.now();
    let [written, failed, reads, over] = [0, 0, 0, false];
    const reading = Array.from({ length: 4 }, async (_, no) => {
      const paths = ["GET /posts?limit=20", "GET /search?q=lantern", "GET /board"] as const;
      for (; !over; await sleep(PAUSE_MS)) {
        const ok = await call(reader, paths[(reads + no) % paths.length] ?? paths[0]).then(
          ({ status }) => status === 200,
          () => false,
        );
        reads += 1;
        if (!ok) failed += 1;
      }
    });
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (written < posts) {
          written += 1;
          const { status } = await call(writer, "POST /posts", distinctText(written), { key });
          if (status !== 201) failed += 1;
        }
      }),
    );
    const seconds = (performance.now() - began) / 1_000;
    const delay = await told();
    over = true;
    await Promise.all(reading);
    return { posts: written, seconds, delay, reads, failed };
  } finally {
    await writer.kill();
    await reader.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const { posts, seconds, delay, reads, failed } = await twoProcessesRun(Number(process.argv[2] ?? 20_000));
  console.log(
    `${machine()}\n${posts} posts in ${seconds.toFixed(0)} s beside ${reads} reads, ${failed} failed; event loop of the reader: ` +
      `p50 ${ms(delay.p50)} ms, p99 ${ms(delay.p99)} ms, max ${ms(delay.max)} ms`,
  );
  process.exitCode = failed === 0 && delay.p99 <= 50 ? 0 : 1;
}
