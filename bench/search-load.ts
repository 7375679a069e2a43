/**
 * How many searches a second does a board answer over REST, with the model, and what does everything else wait meanwhile?
 *
 *   npx tsx bench/search-load.ts [--posts 10000,100000] [--million] [--clients 8] [--seconds 15]
 *
 * The board is a process of its own; the clients share the machine with it. Texts and vectors are those of
 * `bench/search-speed.ts`, so BENCH_DATA gives real ones. Short and long queries take turns, none is asked twice: the model
 * reads each. Beside the searches one client reads single posts. The first figures are of one client alone.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { MODELS } from "../src/embed/models.ts";
import { openSqlite, sqliteIndex } from "../src/store/sqlite/index.ts";
import { BoardProcess, freePort } from "../test/support/boards/board-process.ts";
import { boardPosts } from "./board/posts.ts";
import { boardTexts, type Texts } from "./board/texts.ts";
import { type PostVectors, postVectors } from "./board/vectors.ts";
import { type LoopDelay, loopDelay, tellingLoopDelay } from "./search-load/loop-delay.ts";
import { fillBoard, postId } from "./support/board-fill.ts";
import { folderBytes, machine, ms, percentiles, table } from "./support/measure.ts";
import { DEFAULT_MAKER, MODEL_FILES } from "./support/model.ts";
import { seeded } from "./support/random.ts";

type Percentiles = ReturnType<typeof percentiles>;

export interface LoadFigures {
  searchesPerSecond: number;
  search: Percentiles;
  /** The board takes this CPU time for a search, all its threads, the reading of posts included. */
  cpuMs: number;
  /** `GET /posts/{id}` takes it beside the searches; null where nobody read. */
  read: Percentiles | null;
  loop: LoopDelay;
}

/** These are of a board at rest. */
export interface RestFigures {
  /** From the start of the process until it is ready to answer. */
  startMs: number;
  /** The data folder takes it, posts and index. */
  diskBytes: number;
}

/** A board is meant to reach this with the model and eight clients, on two cores shared with them. */
const GOALS = {
  searchesPerSecond: { 10000: 150, 100000: 150, 1000000: 25 } as Record<number, number>,
  loopP99Ms: 20,
  readP95Ms: 25,
};
const MAIN = join(import.meta.dirname, "../src/main.ts");
const READ_EVERY_MS = 20;
/** The first start reads all texts: a minute for a million posts, more beside other work. */
const START_PATIENCE_MS = 300_000;
/** A process that has just started compiles for some seconds. */
const WARM_UP_MS = 15_000;

export interface LoadOptions {
  posts: number;
  clients: number;
  seconds: number;
  /** False leaves meaning and the model out. */
  model: boolean;
}

/** Fills a board, starts it and searches it, first with one client and then with several. */
export async function measureLoad(
  { posts, clients, seconds, model }: LoadOptions,
  texts: Texts,
  vectors: PostVectors,
): Promise<RestFigures & { alone: LoadFigures; together: LoadFigures }> {
  const dataDir = await mkdtemp(join(tmpdir(), "search-load-"));
  const loopPort = await freePort();
  try {
    await fillFolder(dataDir, posts, texts, vectors);
    const diskBytes = folderBytes(dataDir);
    const began = performance.now();
    const environment = {
      DATA_DIR: dataDir,
      EMBEDDINGS: model ? "required" : "off",
      MODEL_DIR: MODEL_FILES,
      ...tellingLoopDelay(loopPort),
    };
    const board = await BoardProcess.start(environment, MAIN, START_PATIENCE_MS);
    const startMs = performance.now() - began;
    try {
      const asked = { board, loopPort, posts, queries: queriesOf(texts), random: seeded(3) };
      await load(asked, clients, WARM_UP_MS);
      const alone = await load(asked, 1, (seconds * 1000) / 2);
      return { startMs, diskBytes, alone, together: await load(asked, clients, seconds * 1000) };
    } finally {
      await board.kill("SIGTERM");
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Leaves a board of so many posts in a folder. */
export async function fillFolder(
  dataDir: string,
  count: number,
  texts: Texts,
  vectors: PostVectors,
): Promise<void> {
  const [{ dimension }] = MODELS;
  const now = Date.now();
  const index = sqliteIndex({ modelId: null, dimension });
  const store = await openSqlite(`sqlite:${join(dataDir, "board.db")}`, { index });
  const written = boardPosts({ count, texts, vectors, now });
  await fillBoard(store, {
    posts: count,
    now,
    written,
    maker: DEFAULT_MAKER,
  });
  await store.close();
}

/** Gives short and long ones in turns. A word that stands nowhere makes each new to the cache of vectors. */
function* queriesOf({ short, long }: Texts): Generator<string, never> {
  for (let n = 0; ; n += 1) {
    const list = n % 2 === 0 ? short : long;
    yield `${list[(n >> 1) % list.length]} zq${n}`;
  }
}

interface Asked {
  board: BoardProcess;
  loopPort: number;
  posts: number;
  queries: Generator<string, never>;
  /** Chooses the posts to read: others in each measurement, since what was found for them is remembered. */
  random: () => number;
}

async function load(
  { board, loopPort, posts, queries, random }: Asked,
  clients: number,
  forMs: number,
): Promise<LoadFigures> {
  // Each client has an address of its own, since a board has only some reads of one address under way.
  const agents = Array.from(
    { length: clients + 1 },
    (_, n) => new Agent({ connections: 1, localAddress: `127.0.0.${n + 2}` }),
  );
  const get = async (path: string, dispatcher = agents[clients]) => {
    const began = performance.now();
    const { statusCode, body } = await request(`${board.api}${path}`, dispatcher && { dispatcher });
    await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
    return performance.now() - began;
  };
  await loopDelay(loopPort);
  const end = performance.now() + forMs;
  const search: number[] = [];
  const read: number[] = [];
  const searching = Array.from({ length: clients }, async (_, n) => {
    while (performance.now() < end)
      search.push(await get(`/search?q=${encodeURIComponent(queries.next().value)}`, agents[n]));
  });
  const reading = async () => {
    while (performance.now() < end) {
      // These are roots: every fifth is a reply.
      read.push(await get(`/posts/${postId(5 * Math.floor((random() * posts) / 5))}`));
      await sleep(READ_EVERY_MS);
    }
  };
  const began = performance.now();
  await Promise.all([...searching, ...(clients > 1 ? [reading()] : [])]);
  const seconds = (performance.now() - began) / 1000;
  const loop = await loopDelay(loopPort);
  await Promise.all(agents.map((agent) => agent.close()));
  return {
    searchesPerSecond: search.length / seconds,
    search: percentiles(search),
    cpuMs: loop.cpu / search.length,
    read: read.length === 0 ? null : percentiles(read),
    loop,
  };
}

const judged = (figure: string, missed: boolean) => (missed ? `${figure}, missed` : figure);

const pair = ({ p50, p95 }: Percentiles) => `${ms(p50)} / ${ms(p95)}`;

/** @param posts  whose goals count; null for none */
function rowOf(names: string[], figures: LoadFigures, posts: number | null): string[] {
  const { searchesPerSecond, search, cpuMs, read, loop } = figures;
  const least = (posts === null ? null : GOALS.searchesPerSecond[posts]) ?? 0;
  return [
    ...names,
    judged(searchesPerSecond.toFixed(0), searchesPerSecond < least),
    pair(search),
    ms(cpuMs),
    read === null ? "" : judged(pair(read), read.p95 > GOALS.readP95Ms),
    judged(
      `${ms(loop.p50)} / ${ms(loop.p99)} / ${ms(loop.max)}`,
      posts !== null && loop.p99 > GOALS.loopP99Ms,
    ),
    (loop.residentBytes / 1_000_000).toFixed(0),
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      posts: { type: "string", default: "10000,100000" },
      million: { type: "boolean", default: false },
      clients: { type: "string", default: "8" },
      seconds: { type: "string", default: "15" },
    },
  });
  const texts = boardTexts();
  const vectors = await postVectors(texts);
  console.log(`${machine()}; ${texts.source}; ${vectors.source}`);
  const rows: string[][] = [];
  const clients = Number(values.clients);
  for (const posts of [...values.posts.split(",").map(Number), ...(values.million ? [1_000_000] : [])]) {
    const asked = { posts, clients, seconds: Number(values.seconds), model: true };
    const { startMs, diskBytes, alone, together } = await measureLoad(asked, texts, vectors);
    const name = posts.toLocaleString("en");
    const disk = `${(diskBytes / 1000 / posts).toFixed(2)} KB a post on the disk`;
    console.log(`${name}: ready after ${ms(startMs / 1000)} s, ${disk}.`);
    rows.push(rowOf([name, "1"], alone, null), rowOf([name, String(clients)], together, posts));
  }
  const heading = [
    "posts",
    "clients",
    "searches a second",
    "search, p50 / p95 ms",
    "CPU ms a search",
    "`GET /posts/{id}`, p50 / p95 ms",
  ];
  console.log("");
  console.log(table([...heading, "event loop, p50 / p99 / max ms", "RSS MB"], rows));
}

if (process.argv[1] === import.meta.filename) await main();
