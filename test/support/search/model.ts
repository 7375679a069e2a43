import { homedir } from "node:os";
import { join } from "node:path";
import { ensureFiles } from "../../../src/embed/files.ts";
import { MODELS } from "../../../src/embed/models.ts";
import { runtimeFor } from "../../../src/embed/runtime.ts";

/**
 * A MODEL_DIR with the default model and this machine's runtime, downloaded once and kept across runs; from `MODEL_DIR`
 * when that is set, which gets the runtime if it lacks it. Called by vitest's global setup, so that no test waits for it.
 */
export async function ensureTestModel(): Promise<string> {
  const cacheDir = kept("models");
  const modelDir = process.env["MODEL_DIR"] || cacheDir;
  const folder = await ensureFiles({ set: MODELS[0], modelDir, cacheDir });
  const runtime = runtimeFor(process.platform, process.arch);
  if (runtime !== null) await ensureFiles({ set: runtime, modelDir: folder, cacheDir: folder });
  return folder;
}

/** A folder that is kept across runs. */
export function kept(name: string): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "agent-board", name);
}
