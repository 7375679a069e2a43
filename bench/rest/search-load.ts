/**
 * How many searches a second does a board answer over REST, with the model and several clients at once, what does one
 * cost, and how long does a post take beside them? The board runs in a process of its own. With the folder of another
 * checkout both answer in short turns on the same posts, so that other load on the machine hits both; the processor time
 * of a search hardly depends on it.
 *
 *   npx tsx bench/rest/search-load.ts [posts = 10000] [clients = 8] [seconds = 20] [folder of another checkout]
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBoard } from "../../test/support/boards/board.ts";
import { BoardProcess, freePort } from "../../test/support/boards/board-process.ts";
import { notices, QUERIES } from "../support/corpus.ts";
import { machine, ms, percentiles } from "../support/measure.ts";
import { newPublisher, writePosts } from "../support/writing.ts";

/** Turns of each board. The first one warms it up and is not counted. */
const TURNS = 9;
/** A client that reads posts beside the searches waits this long between two. */
const READ_EVERY_MS = 50;

/** A board and what it was seen doing: times in milliseconds. */
interface Contender {
  name: string;
  board: BoardProcess;
  adminPort: number;
  searches: number[];
  reads: number[];
  cpuMs: number;
}

const [, , posts = "10000", clients = "8", seconds = "20", other] = process.argv;
const turnMs = (Number(seconds) * 1000) / (TURNS - 1);
const folder = await mkdtemp(join(tmpdir(), "search-load-"));
let asked = 0;
try {
  const filled = join(folder, "filled");
  const ids = await fill(filled);
  const contenders = [await contender("this checkout", resolve(import.meta.dirname, "../.."))];
  if (other !== undefined) contenders.push(await contender(`the one in ${other}`, other));
  console.log(`searches over REST, ${posts} posts, ${clients} clients, model on; ${machine()}`);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const each of contenders) await load(each, ids, turn > 0);
  }
  for (const { name, board, searches, reads, cpuMs } of contenders) {
    const timesOf = (times: readonly number[]) => {
      const { p50, p95 } = percentiles(times);
      return `p50 / p95 ${ms(p50)} / ${ms(p95)} ms`;
    };
    console.log(
      `${name}: ${(searches.length / Number(seconds)).toFixed(0)} searches/s, ${timesOf(searches)}`,
    );
    console.log(
      `  CPU a search ${ms(cpuMs / searches.length)} ms; GET /posts/{id} beside it ${timesOf(reads)}`,
    );
    await board.kill("SIGTERM");
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Writes and embeds posts in an empty folder; resolves to their ids. */
async function fill(dataDir: string): Promise<string[]> {
  const { board, stop } = await startBoard({ EMBEDDINGS: "required" }, { dataDir });
  await board.embedder.settled();
  const ids = await writePosts(board, await newPublisher(board), notices(Number(posts), Date.now()));
  while ((await board.store.work.backlog("embed")) > 0) await sleep(200);
  await stop();
  return ids;
}

async function contender(name: string, checkout: string): Promise<Contender> {
  const dataDir = await mkdtemp(join(folder, "board-"));
  await cp(join(folder, "filled"), dataDir, { recursive: true });
  const adminPort = await freePort();
  const environment = { DATA_DIR: dataDir, EMBEDDINGS: "required", ADMIN_PORT: `${adminPort}` };
  const board = await BoardProcess.start(environment, join(checkout, "src/main.ts"));
  const modelState = async () => (await (await fetch(`${board.site}/readyz`)).json()) as { model: string };
  while ((await modelState()).model !== "ready") await sleep(100);
  return { name, board, adminPort, searches: [], reads: [], cpuMs: 0 };
}

/** Clients search as fast as they are answered, for one turn; one more reads posts. */
async function load(contender: Contender, ids: readonly string[], isCounted: boolean): Promise<void> {
  const { api } = contender.board;
  const agent = new Agent({ keepAlive: true, maxSockets: Number(clients) + 1 });
  const searches: number[] = [];
  const reads: number[] = [];
  const before = await cpuMsOf(contender);
  const end = performance.now() + turnMs;
  const search = async () => {
    while (performance.now() < end) {
      asked += 1;
      // The number makes each query new to the cache of vectors, and means nothing.
      const q = encodeURIComponent(`${QUERIES[asked % QUERIES.length]} ${asked}`);
      searches.push(await timeOf(`${api}/search?q=${q}`, agent));
    }
  };
  const read = async () => {
    for (; performance.now() < end; await sleep(READ_EVERY_MS)) {
      reads.push(await timeOf(`${api}/posts/${ids[(asked * 31) % ids.length]}`, agent));
    }
  };
  await Promise.all([...Array.from({ length: Number(clients) }, search), read()]);
  agent.destroy();
  if (!isCounted) return;
  contender.searches.push(...searches);
  contender.reads.push(...reads);
  contender.cpuMs += (await cpuMsOf(contender)) - before;
}

/** Processor time of the board since its start, as it tells its operator. */
async function cpuMsOf({ adminPort }: Contender): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]) * 1000;
}

/** Milliseconds until the whole answer is there. */
function timeOf(url: string, agent: Agent): Promise<number> {
  const began = performance.now();
  return new Promise((done, failed) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) failed(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once("end", () => done(performance.now() - began));
    }).once("error", failed);
  });
}
