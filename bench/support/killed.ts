import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs a program of this repository until it says something, and kills it some milliseconds later.
 * @param work  runs meanwhile, until its signal aborts
 * @throws Error when the program ends by itself
 */
export async function killAtWork(
  program: string,
  args: readonly string[],
  afterMs: number,
  work: (signal: AbortSignal) => Promise<void> = async () => {},
): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const killed = new AbortController();
  try {
    const started = await Promise.race([once(child.stdout, "data"), exited.then(() => null)]);
    if (started === null) throw new Error(`${program} did not start`);
    const working = work(killed.signal);
    await sleep(afterMs);
    if (child.exitCode !== null) throw new Error(`${program} ended by itself`);
    child.kill("SIGKILL");
    killed.abort();
    await working;
  } finally {
    killed.abort();
    child.kill("SIGKILL");
    await exited;
  }
}
