import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** All files that a run leaves before it ends, those of its MongoDB servers included, are a quarter of this. */
const ENOUGH_BYTES = 8e9;

/**
 * From now on temporary files of this process and its children lie in memory, where Linux has that much of it to give: what
 * tests wait for most is that a disk has written. What runs that were killed left there goes, unless another run is under way.
 */
export function useMemoryForFiles(): void {
  if (process.env["TMPDIR"] !== undefined || process.platform !== "linux") return;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return;
    const folder = join(MEMORY, "agent-board-tests");
    mkdirSync(folder, { recursive: true });
    const runs = readdirSync(folder);
    if (!runs.some((name) => name.startsWith("run-") && lives(Number(name.slice(4))))) {
      for (const name of runs)
        if (!name.startsWith("agent-board-mongod-"))
          rmSync(join(folder, name), { recursive: true, force: true });
    }
    mkdirSync(join(folder, `run-${process.pid}`), { recursive: true });
    process.env["TMPDIR"] = folder;
  } catch {
    // A system without that folder, or one that may not be written to: its disk will do.
  }
}

/** Whether a process runs. */
export function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: another user's process.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
