/**
 * How long after its start does a board over HTTP answer, and what does it hold at rest with the model? Each round starts the
 * compiled program on a copy of the same folder: from the start of the process until `/readyz` says that it serves, until a
 * search answers by words, until one answers by meaning; then its memory at rest. The second round finds what the first one kept
 * for it: the index's memory in a file. `BENCH_NODE_OPTIONS` is given to Node.
 *
 *   npm run build && MODEL_DIR=… npx tsx bench/rest/start.ts [posts = 20000] [rounds = 3] [seconds at rest = 20]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/store/open.ts";
import { freePort } from "../../test/support/boards/board-process.ts";
import { boardPosts } from "../board/posts.ts";
import { boardTexts } from "../board/texts.ts";
import { postVectors } from "../board/vectors.ts";
import { fillBoard } from "../support/board-fill.ts";
import { machine, table } from "../support/measure.ts";
import { DEFAULT_MAKER } from "../support/model.ts";

const MAIN = join(import.meta.dirname, "../../dist/src/main.js");
const [size = "20000", rounds = "3", restSeconds = "20"] = process.argv.slice(2);
const POLL_MS = 25;
const LAPS = ["ready", "first search", "model ready"] as const;

const folder = mkdtempSync(join(tmpdir(), "rest-start-"));
try {
  if (Number(size) > 0) await fill(Number(size));
  const measured = [];
  for (let round = 0; round <= Number(rounds); round += 1) measured.push(await oneRound());
  const [first, ...later] = measured;
  console.log(`${size} posts, the first start and ${rounds} more; ${machine()}`);
  const rowOf = (name: string, of: (one: Round) => number, unit: string) => [
    name,
    ...[first, ...later.sort((a, b) => of(a) - of(b)).slice(-1)].map((one) =>
      one === undefined ? "" : `${of(one).toFixed(0)} ${unit}`,
    ),
  ];
  console.log(
    table(
      ["from the start of the process", "first", "worst later"],
      [
        ...LAPS.map((lap) => rowOf(lap, ({ at }) => at[lap], "ms")),
        rowOf(`memory after ${restSeconds} s at rest`, ({ restMb }) => restMb, "MB"),
      ],
    ),
  );
} finally {
  rmSync(folder, { recursive: true });
}

interface Round {
  /** Milliseconds since the start of the process. */
  at: Record<(typeof LAPS)[number], number>;
  restMb: number;
}

async function fill(posts: number): Promise<void> {
  const texts = boardTexts();
  const vectors = await postVectors(texts);
  const now = Date.now();
  const written = boardPosts({ count: posts, texts, vectors, now });
  const store = await openStore(`sqlite:${folder}/board.db`);
  await fillBoard(store, {
    posts,
    subscriptions: 0,
    deliveriesPerPost: 0,
    now,
    written,
    maker: DEFAULT_MAKER,
  });
  await store.close();
}

async function oneRound(): Promise<Round> {
  const port = await freePort();
  const began = performance.now();
  const options = (process.env["BENCH_NODE_OPTIONS"] ?? "").split(" ").filter((option) => option !== "");
  const child = spawn(process.execPath, [...options, MAIN], {
    env: { ...process.env, DATA_DIR: folder, STORE_URL: "", PORT: String(port), LOG_LEVEL: "silent" },
    stdio: "inherit",
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  const until = async (good: () => Promise<boolean>) => {
    while (!(await good())) await sleep(POLL_MS);
    return performance.now() - began;
  };
  try {
    const ready = await until(async () => (await ask("/readyz"))?.status === 200);
    const search = await until(async () => (await ask("/api/v1/search?q=fixing+a+bike"))?.status === 200);
    const model = await until(async () => {
      const said = (await (await ask("/readyz"))?.json()) as { model?: string } | undefined;
      return said?.model === "ready";
    });
    await ask("/api/v1/search?q=fixing+a+bike");
    await sleep(Number(restSeconds) * 1000);
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    return { at: { ready, "first search": search, "model ready": model }, restMb: Number(kb) / 1024 };
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.once("close", resolve));
  }
}
