import { homedir } from "node:os";
import { join } from "node:path";
import { ensureFiles } from "../../../src/embed/files.ts";
import { MODELS } from "../../../src/embed/models.ts";

/**
 * A MODEL_DIR with the default model, downloaded once and kept across runs; from `MODEL_DIR` when that is set.
 * Called by vitest's global setup, so that no test waits for it.
 */
export async function ensureTestModel(): Promise<string> {
  const { MODEL_DIR: modelDir, XDG_CACHE_HOME: caches } = process.env;
  const cacheDir = join(caches || join(homedir(), ".cache"), "agent-board", "models");
  return ensureFiles({ set: MODELS[0], modelDir: modelDir || cacheDir, cacheDir });
}
