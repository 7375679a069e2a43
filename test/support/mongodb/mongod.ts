import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { lives } from "../run/files-in-memory.ts";

export type ServerKind = "replicaSet" | "cluster" | "standalone";

/** The exit code of `mongod.sh` on a machine that cannot run mongod. */
const NOT_TO_BE_HAD = 75;
const COMMANDS = { replicaSet: "start", cluster: "cluster", standalone: "standalone" } as const;
const SCRIPT = join(import.meta.dirname, "mongod.sh");
const FOLDER = /^agent-board-mongod-(\d+)$/;
const run = promisify(execFile);

/**
 * A server of that kind, started in `folder` unless one runs there already.
 * @param mongodArgs  more arguments of mongod
 * @returns its URI, or why this machine cannot run one
 */
export async function startServer(
  kind: ServerKind,
  folder: string,
  mongodArgs = "",
): Promise<{ uri: string } | { missing: string }> {
  try {
    const env = mongodArgs === "" ? process.env : { ...process.env, MONGOD_ARGS: mongodArgs };
    const { stdout } = await run("bash", [SCRIPT, COMMANDS[kind], folder], { env });
    return { uri: stdout.trim() };
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code !== NOT_TO_BE_HAD) throw error;
    return { missing: (stderr ?? "").trim() };
  }
}

/** The words that run mongod, for tests that start their own servers. Without one: null, or an error in CI. */
export async function mongodCommand(): Promise<string[] | null> {
  try {
    const { stdout } = await run("bash", [SCRIPT, "bin"]);
    return stdout.trim().split(" ");
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code !== NOT_TO_BE_HAD || process.env["CI"]) throw error;
    process.stderr.write(`SKIPPED: tests of MongoDB need a mongod: ${(stderr ?? "").trim()}\n`);
    return null;
  }
}

/** Stops what runs in `folder` and deletes its data. */
export async function stopServers(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await run("bash", [SCRIPT, "stop", folder]);
  await rm(folder, { recursive: true });
}

/** A folder for the servers of this run of the tests. Those of a run that was killed are stopped first. */
export async function testServers(): Promise<{ folder: string; stop: () => Promise<void> }> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(FOLDER.exec(name)?.[1] ?? process.pid);
    // Folders of another user are left alone.
    if (owner !== process.pid && !lives(owner)) await stopServers(join(tmpdir(), name)).catch(() => {});
  }
  const folder = join(tmpdir(), `agent-board-mongod-${process.pid}`);
  await mkdir(folder, { recursive: true });
  return { folder, stop: () => stopServers(folder) };
}
