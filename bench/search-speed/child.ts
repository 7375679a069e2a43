import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

/** Runs a script of this folder in a process of its own. @returns what it printed, read as JSON */
export async function inOwnProcess<T>(script: string, ...sent: string[]): Promise<T> {
  const flags = ["--expose-gc", "--max-old-space-size=12000", "--import", "tsx"];
  const file = resolve(import.meta.dirname, script);
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, ...sent], {
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;
}
