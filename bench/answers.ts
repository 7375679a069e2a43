/**
 * What does an answer over REST cost beyond what HTTP costs, on a large board with one caller?
 *
 *   npx tsx bench/answers.ts [--posts 100000] [--calls 300]
 *
 * The board is a process of its own, with texts and vectors as in `bench/search-load.ts` and without the model, so related
 * posts are found and nothing waits for a text to be read. `/healthz` is what HTTP costs. All questions take turns in each
 * round; each call of a post reads another one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { BoardProcess, freePort } from "../test/support/boards/board-process.ts";
import { boardTexts } from "./board/texts.ts";
import { postVectors } from "./board/vectors.ts";
import { loopDelay, tellingLoopDelay } from "./search-load/loop-delay.ts";
import { fillFolder } from "./search-load.ts";
import { postId } from "./support/board-fill.ts";
import { machine, ms, percentiles, table } from "./support/measure.ts";
import { MODEL_FILES } from "./support/model.ts";

const START_PATIENCE_MS = 300_000;
/** Calls of one kind that follow each other: the CPU time of a process is known between them only. */
const TOGETHER = 20;
const WARM_UP = 5;

/** Gives the path of the nth call, below `/api/v1` unless it begins with a double slash. */
const CALLS: Readonly<Record<string, (n: number, posts: number) => string>> = {
  "HTTP alone": () => "//healthz",
  newest: () => "/posts",
  "newest, of a kind": () => "/posts?kind=offer",
  soonest: () => "/posts?sort=soonest",
  "soonest, events": () => "/posts?kind=event&sort=soonest",
  "a post": (n, posts) => `/posts/${postId((5 * 7919 * n) % posts)}`,
  board: () => "/board",
  "front page": () => "//",
};

export interface AnswerFigures {
  name: string;
  times: ReturnType<typeof percentiles>;
  /** Counts the time of the board's process, all threads, for a call. */
  cpuMs: number;
}

/** Fills a board and asks it, `calls` times for each kind of question. */
export async function measureAnswers(posts: number, calls: number, model: boolean): Promise<AnswerFigures[]> {
  const texts = boardTexts();
  const dataDir = await mkdtemp(join(tmpdir(), "answers-"));
  const loopPort = await freePort();
  const agent = new Agent({ connections: 1 });
  try {
    await fillFolder(dataDir, posts, texts, await postVectors(texts));
    const environment = {
      DATA_DIR: dataDir,
      EMBEDDINGS: model ? "required" : "off",
      MODEL_DIR: MODEL_FILES,
      RATE_LIMITS: "off",
      ...tellingLoopDelay(loopPort),
    };
    const board = await BoardProcess.start(environment, undefined, START_PATIENCE_MS);
    const get = async (path: string) => {
      const url = path.startsWith("//") ? new URL(path.slice(1), board.api).href : `${board.api}${path}`;
      const began = performance.now();
      const { statusCode, body } = await request(url, { dispatcher: agent });
      await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
      return performance.now() - began;
    };
    try {
      const found = Object.keys(CALLS).map((name) => ({ name, times: [] as number[], cpuMs: 0 }));
      const together = Math.min(calls, TOGETHER);
      const rounds = Math.ceil(calls / together);
      for (let round = -WARM_UP; round < rounds; round += 1) {
        for (const one of found) {
          await loopDelay(loopPort);
          for (let n = 0; n < together; n += 1) {
            const path = CALLS[one.name]?.((round + WARM_UP) * together + n, posts) ?? "";
            const time = await get(path);
            if (round >= 0) one.times.push(time);
          }
          const { cpu } = await loopDelay(loopPort);
          if (round >= 0) one.cpuMs += cpu / together / rounds;
        }
      }
      return found.map(({ times, ...one }) => ({ ...one, times: percentiles(times) }));
    } finally {
      await board.kill("SIGINT");
    }
  } finally {
    await agent.close();
    await rm(dataDir, { recursive: true });
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { posts: { type: "string", default: "100000" }, calls: { type: "string", default: "300" } },
  });
  console.log(machine());
  const figures = await measureAnswers(Number(values.posts), Number(values.calls), true);
  const http = figures[0]?.times.p50 ?? 0;
  const rows = figures.map(({ name, times, cpuMs }) => [
    name,
    `${ms(times.p50)} / ${ms(times.p95)}`,
    ms(times.p50 - http),
    ms(cpuMs),
  ]);
  console.log(table(["call", "p50 / p95 ms", "beyond HTTP", "CPU ms"], rows));
}

if (process.argv[1] === import.meta.filename) await main();
