/**
 * How long does a host wait for a board over stdio, and what does that process then hold? Each round starts the compiled
 * program in a folder of its own: the time from the start of the process to the answers to `initialize`, `tools/list` and a
 * first search by words; to the first search that also asked by meaning; then its memory at rest. `BENCH_NODE` names
 * another Node.
 *
 *   npm run build && MODEL_DIR=… npx tsx bench/stdio/start.ts [rounds = 5] [seconds at rest = 20]
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { machine, residentMb, table } from "../support/measure.ts";

const MAIN = join(import.meta.dirname, "../../dist/src/main.js");
const NODE = process.env["BENCH_NODE"] ?? process.execPath;
const [, , rounds = "5", restSeconds = "20"] = process.argv;

const laps = ["initialize", "tools/list", "search by words", "search by meaning"] as const;
interface Round {
  /** Milliseconds since the start of the process. */
  at: Record<(typeof laps)[number], number>;
  cpuMs: number;
  restMb: number;
}

const measured: Round[] = [];
for (let round = 0; round < Number(rounds); round += 1) measured.push(await oneRound());
console.log(`stdio, ${rounds} rounds; ${machine()}${NODE === process.execPath ? "" : `, board on ${NODE}`}`);
console.log(
  table(
    ["from the start of the process", "median", "worst"],
    [
      ...laps.map((lap) => [lap, ...spread(measured.map(({ at }) => at[lap]))].map(withUnit("ms"))),
      ["processor time until then", ...spread(measured.map(({ cpuMs }) => cpuMs))].map(withUnit("ms")),
      [`memory after ${restSeconds} s at rest`, ...spread(measured.map(({ restMb }) => restMb))].map(
        withUnit("MB"),
      ),
    ],
  ),
);

async function oneRound(): Promise<Round> {
  const folder = await mkdtemp(join(tmpdir(), "stdio-bench-"));
  const began = performance.now();
  const child = spawn(NODE, [MAIN, "stdio"], {
    env: { ...process.env, DATA_DIR: folder, LOG_LEVEL: "silent" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
    const { value } = await lines.next();
    return String(value);
  };
  const search = () => ask("tools/call", { name: "search", arguments: { q: "fixing a bike" } });
  const since = () => performance.now() - began;
  try {
    const me = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    };
    const at = { initialize: 0, "tools/list": 0, "search by words": 0, "search by meaning": 0 };
    await ask("initialize", me);
    at.initialize = since();
    await ask("tools/list", {});
    at["tools/list"] = since();
    let answer = await search();
    at["search by words"] = since();
    while (answer.includes("model is still loading")) {
      await sleep(20);
      answer = await search();
    }
    at["search by meaning"] = since();
    const cpuMs = await cpuMsOf(child.pid);
    await sleep(Number(restSeconds) * 1000);
    return { at, cpuMs, restMb: residentMb(child.pid) };
  } finally {
    child.stdin.end();
    await new Promise((resolve) => child.once("close", resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

/** User and system time of a process so far. The kernel counts in hundredths of a second. */
async function cpuMsOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Median and maximum, rounded. */
function spread(values: readonly number[]): string[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0].map((value) => value.toFixed(0));
}

function withUnit(unit: string): (cell: string, i: number) => string {
  return (cell, i) => (i === 0 ? cell : `${cell} ${unit}`);
}
