import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Tells the delay since the last question, in milliseconds. An idle loop shows the timer's own millisecond. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
  /** The process took so much CPU time, all threads, since the last question. */
  cpu: number;
  residentBytes: number;
}

const PRELOADED = pathToFileURL(resolve(import.meta.dirname, "loop-delay.mjs")).href;

/** A program of Node with this environment tells the delay of its event loop on a port. */
export const tellingLoopDelay = (port: number): Record<string, string> => ({
  BENCH_LOOP_PORT: String(port),
  NODE_OPTIONS: `--import=${PRELOADED}`,
});

/** Asks a program with that environment. */
export async function loopDelay(port: number): Promise<LoopDelay> {
  return (await (await fetch(`http://127.0.0.1:${port}`)).json()) as LoopDelay;
}
