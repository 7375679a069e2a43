/**
 * How long does the index take to answer, and how long do other engines take?
 *
 *   npx tsx bench/search-speed.ts [--posts 10000,100000] [--million] [--peers all|NAMES] [--recall|--no-recall] [--thread]
 *
 * Texts have a real vocabulary: with BENCH_DATA, titles and sentences of its collections in random order and vectors by the
 * model; else words drawn by their frequencies. Embedding a query is not in the times. The index is asked in this thread, with
 * `--thread` as a large board asks it: in a thread of its own. `--peers` installs the
 * packages of bench/peers in the folder for temporary files, and asks them the same questions in the same run, each engine in a
 * process of its own.
 */
import { parseArgs } from "node:util";
import { boardTexts } from "./board/texts.ts";
import { postVectors } from "./board/vectors.ts";
import { inOwnProcess } from "./search-speed/child.ts";
import { type BoardUnderTest, measureOwn, type OwnFigures } from "./search-speed/own.ts";
import type { PeerFigures } from "./search-speed/peer-process.ts";
import { installPeers } from "./search-speed/peers/package.ts";
import type { Timed } from "./search-speed/timed.ts";
import { machine, ms, table } from "./support/measure.ts";

const MB = 1_000_000;
const PEERS = "lancedb,orama";
/** A hybrid search may take this many milliseconds on two cores at p50, by the number of posts. */
const GOALS: Record<number, number> = { 100000: 4, 1000000: 35 };
/** More posts than this are ranked exactly only when asked for: it takes minutes. */
const RECALL_UP_TO = 100_000;

/** Measures one board and prints its tables. */
export async function measureSize(
  board: BoardUnderTest,
  options: { peers: readonly string[]; recall: boolean; thread?: boolean },
): Promise<OwnFigures> {
  console.log(`\n### ${board.count.toLocaleString("en")} posts\n`);
  const own = await measureOwn(board, options);
  printSeries(own, board.count);
  printCosts(own, board.count);
  if (options.peers.length > 0) await besidePeers(own, board.count, options.peers);
  return own;
}

const pair = ({ p50, p95 }: { p50: number; p95: number }) => `${ms(p50)} / ${ms(p95)}`;

function printSeries({ series }: OwnFigures, count: number): void {
  const goal = GOALS[count];
  const rows = series.map(({ name, times, cpuMs, found }) => {
    const missed = goal !== undefined && name.startsWith("hybrid+rerank") && times.p50 > goal;
    return [name, `${pair(times)}${missed ? `, missed: ${goal}` : ""}`, ms(cpuMs), found.toFixed(0)];
  });
  console.log(`${table(["question", "p50 / p95 ms", "CPU ms", "found"], rows)}\n`);
}

function printCosts({ buildMs, ingest, first, diskBytes, recall }: OwnFigures, count: number): void {
  const rows = [
    ["build, 500 posts in a transaction", `${ms(buildMs / 1000)} s, ${ms(buildMs / count)} ms a post`],
    ["one post and its vector, CPU beside that of its transactions", `${ms(ingest.cpuMs)} ms`],
    [`one post and its vector, two transactions (${ingest.count}), p50 / p95`, `${pair(ingest.times)} ms`],
    ["a new process until its first answer", `${ms(first.ms)} ms`],
    [
      "memory of that process for it",
      `${(first.residentBytes / MB).toFixed(0)} MB, ${((first.residentBytes / MB / count) * 100_000).toFixed(0)} MB for 100,000`,
    ],
    ["disk", `${(diskBytes / 1000 / (count + ingest.count)).toFixed(2)} KB a post`],
  ];
  if (recall !== null) {
    const { at10, at100, narrowAt10, narrowAt100 } = recall;
    const shares = [at10, at100, narrowAt10, narrowAt100].map((share) => share.toFixed(4));
    rows.push(["of an exact ranking: at 10, at 100, narrow at 10, at 100", shares.join(", ")]);
  }
  console.log(table(["", "figure"], rows));
}

/** These series of the board's own answer what the other engines are asked. */
const SAME: Record<string, string> = {
  hybrid: "hybrid+rerank, top 100",
  narrow: "narrow, top 100",
  words: "words, top 100",
};

async function besidePeers(own: OwnFigures, count: number, names: readonly string[]): Promise<void> {
  const labels = Object.keys(SAME).flatMap((kind) => [`${kind}, short`, `${kind}, long`]);
  const ours = labels.map((label) => {
    const [kind = "", length = ""] = label.split(", ");
    return own.series.find(({ name }) => name === `${SAME[kind]}, ${length}`);
  });
  const asymmetries: string[] = [];
  const cpu = [["agent-board", ...ours.map((one) => (one === undefined ? "" : ms(one.cpuMs)))]];
  console.log(
    "\nTop 100 ids, p50 / p95 ms (its p50 by agent-board's, which reranks too and leaves out what neither supports):\n",
  );
  const first = ["agent-board", ...ours.map((one) => (one === undefined ? "" : pair(one.times))), "", "", ""];
  console.log(table(["", ...labels, "build s", "RSS MB", "disk MB"], [first]));
  for (const name of names) {
    const figures = await inOwnProcess<PeerFigures>("peer-process.ts", name, String(count));
    const cells = (of: (one: Timed) => string, by: (one: Timed) => number) =>
      labels.map((label, at) => {
        const [theirs, mine] = [figures.series[label], ours[at]];
        if (theirs === undefined) return "–";
        if (typeof theirs === "string") return theirs;
        return mine === undefined ? of(theirs) : `${of(theirs)} (${(by(theirs) / by(mine)).toFixed(1)} ×)`;
      });
    const { buildMs, residentBytes, diskBytes, series, asymmetry } = figures;
    const sizes = [residentBytes, diskBytes].map((bytes) => (bytes / MB).toFixed(0));
    const times = cells(
      (one) => pair(one.times),
      (one) => one.times.p50,
    );
    // A row is printed as soon as it is known: the last engine may take minutes.
    console.log(`| ${[name, ...times, ms(buildMs / 1000), ...sizes].join(" | ")} |`);
    const cpuTimes = cells(
      (one) => ms(one.cpuMs),
      (one) => one.cpuMs,
    );
    cpu.push([name, ...cpuTimes]);
    const found = Object.values(series).map((one) =>
      typeof one === "string" ? "none" : one.found.toFixed(0),
    );
    asymmetries.push(
      `${name}: ${asymmetry}. Ids of an answer, in the order of the columns: ${found.join(", ")}.`,
    );
  }
  console.log("\nCPU ms of a question, all threads:\n");
  console.log(table(["", ...labels], cpu));
  console.log("");
  for (const line of asymmetries) console.log(`- ${line}`);
}

async function main(): Promise<void> {
  const {
    posts,
    million,
    peers,
    "no-recall": noRecall,
    recall,
    thread,
  } = parseArgs({
    options: {
      posts: { type: "string", default: "10000,100000" },
      million: { type: "boolean", default: false },
      peers: { type: "string" },
      recall: { type: "boolean", default: false },
      "no-recall": { type: "boolean", default: false },
      thread: { type: "boolean", default: false },
    },
  }).values;
  const names = peers === undefined ? [] : (peers === "all" ? PEERS : peers).split(",");
  if (names.length > 0) installPeers();
  const texts = boardTexts();
  const vectors = await postVectors(texts);
  console.log(`${machine()}; ${texts.source}; ${vectors.source}`);
  const sizes = [...posts.split(",").map(Number), ...(million ? [1_000_000] : [])];
  for (const count of sizes) {
    const exact = !noRecall && (recall || count <= RECALL_UP_TO);
    await measureSize({ count, texts, vectors }, { peers: names, recall: exact, thread });
  }
}

if (process.argv[1] === import.meta.filename) await main();
