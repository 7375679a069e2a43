/**
 * Does a board answer smoothly while another process writes to its file? One process takes posts over REST, one after
 * another from several clients; the other answers readers and tells the delay of its event loop. So does a process that
 * does nothing, which shows what the machine alone delays.
 *
 *   npx tsx bench/hold/two-processes.ts [posts = 20000]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BoardProcess, freePort } from "../../test/support/boards/board-process.ts";
import { call, eventually, register } from "../../test/support/boards/client.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { type LoopDelay, loopDelay, tellingLoopDelay } from "../search-load/loop-delay.ts";
import { machine, ms } from "../support/measure.ts";

const WRITERS = 16;
/** A reader asks this long after its last answer. */
const PAUSE_MS = 20;

export interface TwoProcessesRun {
  posts: number;
  seconds: number;
  /** Of the process that answers, while the other writes. */
  delay: LoopDelay;
  /** Of a process that does nothing, at the same time. */
  idleDelay: LoopDelay;
  reads: number;
  failed: number;
}

export async function twoProcessesRun(posts: number): Promise<TwoProcessesRun> {
  const folder = mkdtempSync(join(tmpdir(), "board-two-"));
  const port = await freePort();
  const writer = await BoardProcess.start({ DATA_DIR: folder });
  const reader = await BoardProcess.start({
    DATA_DIR: folder,
    ...tellingLoopDelay(port),
  });
  const idlePort = await freePort();
  const idle = startIdle(idlePort);
  try {
    const { key } = await register(writer);
    await eventually(
      () => loopDelay(idlePort).catch(() => null),
      (delay) => delay !== null,
    );
    await Promise.all([loopDelay(port), loopDelay(idlePort)]);
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
          const { status } = await call(
            writer,
            "POST /posts",
            { title: `lantern ${prose()}`, body: prose() },
            { key },
          );
          if (status !== 201) failed += 1;
        }
      }),
    );
    const seconds = (performance.now() - began) / 1_000;
    const [delay, idleDelay] = await Promise.all([loopDelay(port), loopDelay(idlePort)]);
    over = true;
    await Promise.all(reading);
    return { posts: written, seconds, delay, idleDelay, reads, failed };
  } finally {
    await writer.kill();
    await reader.kill();
    idle.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startIdle(port: number): ChildProcess {
  const env = { ...process.env, ...tellingLoopDelay(port) };
  return spawn(process.execPath, ["--eval", "setInterval(() => {}, 1_000_000)"], { env, stdio: "ignore" });
}

if (process.argv[1] === import.meta.filename) {
  const { posts, seconds, delay, idleDelay, reads, failed } = await twoProcessesRun(
    Number(process.argv[2] ?? 20_000),
  );
  console.log(
    `${machine()}\n${posts} posts in ${seconds.toFixed(0)} s beside ${reads} reads, ${failed} failed; event loop of the reader: ` +
      `p50 ${ms(delay.p50)} ms, p99 ${ms(delay.p99)} ms, max ${ms(delay.max)} ms; of an idle process: p99 ${ms(idleDelay.p99)} ms, max ${ms(idleDelay.max)} ms`,
  );
  process.exitCode = failed === 0 && delay.p99 <= 50 ? 0 : 1;
}
